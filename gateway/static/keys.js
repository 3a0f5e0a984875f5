// Keys: "/" goes to the search box, arrows move through the results, Escape goes back. "/" can be switched off (WCAG 2.2,
// 2.1.4); only this browser stores the choice.
"use strict";

(() => {
  const box = document.getElementById("q");
  const results = [...document.querySelectorAll(".hits h2 a")];
  const SWITCH = "slash-leads-to-the-box";

  const isOn = () => {
    try {
      return localStorage.getItem(SWITCH) !== "off";
    } catch {
      return true; // a browser may store nothing
    }
  };

  document.querySelectorAll(".keys").forEach((keys) => {
    const check = keys.querySelector("input");
    keys.hidden = false;
    check.checked = isOn();
    check.addEventListener("change", () => localStorage.setItem(SWITCH, check.checked ? "on" : "off"));
  });
  if (!box) return;

  const toBox = () => {
    box.focus();
    box.select();
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    const here = document.activeElement;
    const place = results.indexOf(here);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "/" && isOn() && !here.matches("input, textarea, select, [contenteditable]")) toBox();
    else if (here === box && event.key === "ArrowDown" && results.length) results[0].focus();
    else if (place === 0 && step < 0) toBox();
    else if (place >= 0 && step) (results[place + step] || here).focus();
    else if (place >= 0 && event.key === "Escape") toBox();
    else return;
    event.preventDefault();
  });
})();
