// On every page: "/" leads to the search field in its head, which says so where there are keys.
const jump = document.getElementById("jump");
if (jump && matchMedia("(hover: hover) and (min-width: 40rem)").matches) jump.placeholder += "  /";
document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, textarea, select");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    if (jump) jump.focus();
    else location.assign("/");
  }
});
