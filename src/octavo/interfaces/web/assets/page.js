// On every page: "/" leads to the search field in its head.
document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, textarea, select");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    const field = document.getElementById("jump");
    if (field) field.focus();
    else location.assign("/");
  }
});
