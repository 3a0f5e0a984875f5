// Shows the value of a slider while it moves, and loads the results when it stops. Without this script the button does
// the same. The form stays, so the slider keeps the focus.
const form = document.querySelector("form[data-live]");
const formUrl = () => {
  const parameters = new URLSearchParams();
  for (const field of form.elements) {
    if (field.name && field.value !== "" && Number(field.value) !== Number(field.dataset.saved ?? NaN)) {
      parameters.append(field.name, field.value);
    }
  }
  return `${form.getAttribute("action")}?${parameters}`;
};
let latest = 0;
const show = async () => {
  const request = ++latest;
  const url = formUrl();
  const response = await fetch(url);
  const text = await response.text();
  const found = new DOMParser().parseFromString(text, "text/html");
  const part = found.getElementById(form.dataset.live) ?? found.querySelector("main");
  if (request === latest && part) {
    document.getElementById(form.dataset.live).replaceChildren(...part.childNodes);
    history.replaceState(null, "", url);
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
  location.href = formUrl();
});
