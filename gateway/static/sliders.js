// Shows what a slider says while it moves, and asks for the part of the page that follows from it when it is let go.
// Without this script the button does the same. The form stays, so that the slider keeps the focus.
const form = document.querySelector("form[data-live]");
const ofForm = () => {
  const told = new URLSearchParams();
  for (const field of form.elements) {
    if (field.name && field.value !== "" && Number(field.value) !== Number(field.dataset.saved ?? NaN)) {
      told.append(field.name, field.value);
    }
  }
  return `${form.getAttribute("action")}?${told}`;
};
let latest = 0;
const show = async () => {
  const asked = ++latest;
  const address = ofForm();
  const answer = await fetch(address);
  const text = await answer.text();
  const found = new DOMParser().parseFromString(text, "text/html");
  const part = found.getElementById(form.dataset.live) ?? found.querySelector("main");
  if (asked === latest && part) {
    document.getElementById(form.dataset.live).replaceChildren(...part.childNodes);
    history.replaceState(null, "", address);
  }
};
form.addEventListener("input", (event) => {
  if (event.target.type === "range") event.target.nextElementSibling.textContent = Number(event.target.value);
});
form.addEventListener("change", (event) => {
  if (event.target.type === "range") show();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  location.href = ofForm();
});
