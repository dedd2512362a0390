// The slider names the change it stands at, and shows the memory as it was then once it is let go.
const slider = document.getElementById("at");
const moments = document.querySelectorAll(".moment");
slider?.addEventListener("input", () => {
  document.getElementById("moment").textContent = moments[slider.value - 1].textContent;
});
slider?.addEventListener("change", () => slider.form.requestSubmit());
