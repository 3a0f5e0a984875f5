// Suggestions under the search box, for keyboards and screen readers too: the editable combobox with a list of the ARIA
// Authoring Practices. Without this script the box is an ordinary one.
"use strict";

(() => {
  const box = document.getElementById("q");
  if (!box) return;
  const PAUSE = 80; // milliseconds after the last letter, before a request
  const list = document.createElement("ul");
  let waiting;
  let chosen = -1; // the index of the option that Enter takes; -1: the typed text

  list.id = "completions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  list.hidden = true;
  box.after(list);
  box.setAttribute("role", "combobox");
  box.setAttribute("aria-autocomplete", "list");
  box.setAttribute("aria-controls", list.id);
  box.setAttribute("aria-expanded", "false");

  const show = (open) => {
    list.hidden = !open || !list.children.length;
    box.setAttribute("aria-expanded", String(!list.hidden));
    if (list.hidden) choose(-1);
  };

  const choose = (number) => {
    chosen = number;
    [...list.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === number)));
    if (number < 0) box.removeAttribute("aria-activedescendant");
    else box.setAttribute("aria-activedescendant", list.children[number].id);
  };

  const take = (option) => {
    box.value = option.textContent;
    box.form.requestSubmit();
  };

  const fill = async () => {
    const typed = box.value;
    const response = typed.trim() ? await fetch("/api/suggest?q=" + encodeURIComponent(typed)) : null;
    if (box.value !== typed || document.activeElement !== box) return; // a later letter has its own request
    const queries = response && response.ok ? (await response.json())[1] : [];
    list.replaceChildren(...queries.map((question, place) => {
      const option = document.createElement("li");
      option.id = "completion-" + place;
      option.dir = "auto";
      option.setAttribute("role", "option");
      option.textContent = question;
      return option;
    }));
    choose(-1);
    show(true);
  };

  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(fill, PAUSE);
  });
  box.addEventListener("blur", () => show(false));
  box.form.addEventListener("submit", () => clearTimeout(waiting));
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the box keeps the focus
  list.addEventListener("click", (event) => {
    if (event.target.closest("li")) take(event.target.closest("li"));
  });
  box.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (list.hidden || event.isComposing) return; // keys.js has what they do then
    if (step) {
      const places = list.children.length + 1; // the box is one of them
      choose(((chosen + 1 + step + places) % places) - 1);
    } else if (event.key === "Enter" && chosen >= 0) take(list.children[chosen]);
    else if (event.key === "Escape") show(false);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
})();
