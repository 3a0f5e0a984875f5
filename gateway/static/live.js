// Keeps the part of a page that is called "live" up to date while it says that something runs. A reader can pause it,
// and it waits by itself while the focus or a selection is inside; folded and unfolded parts stay as they are.
"use strict";

(() => {
  const bar = document.getElementById("refreshing");
  const button = document.createElement("button");
  const told = document.createElement("span");
  let paused = false;
  button.type = "button";
  told.setAttribute("role", "status");
  bar.replaceChildren(button, told);

  const show = (ended) => {
    button.hidden = ended;
    button.textContent = paused ? "Go on" : "Pause";
    told.textContent = ended ? "The crawl has ended." : paused ? "The numbers stand still." : "The numbers keep themselves up to date.";
  };

  const inUse = (live) => live.contains(document.activeElement) || (!getSelection().isCollapsed && live.contains(getSelection().anchorNode));

  const update = async () => {
    const live = document.getElementById("live");
    if (!paused && !document.hidden && !inUse(live)) {
      try {
        const answer = await fetch(location.href);
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const next = page.getElementById("live");
        if (next && !paused && !inUse(live)) {
          const open = [...live.querySelectorAll("details")].map((each) => each.open);
          next.querySelectorAll("details").forEach((each, place) => { each.open = open[place] ?? each.open; });
          live.replaceWith(document.adoptNode(next));
        }
      } catch {
        told.textContent = "The gateway does not answer. Asked again soon.";
      }
    }
    later();
  };

  const later = () => {
    const live = document.getElementById("live");
    if ("running" in live.dataset) {
      show(false);
      setTimeout(update, 1000 * live.dataset.seconds);
    } else {
      show(true);
    }
  };

  button.addEventListener("click", () => { paused = !paused; show(false); });
  later();
})();
