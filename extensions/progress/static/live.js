// Keeps the element "live" up to date while a crawl is running. A reader can pause it. It also waits while the focus or a
// selection is inside. Open and closed details stay as they are.
"use strict";

(() => {
  const bar = document.getElementById("refreshing");
  const button = document.createElement("button");
  const status = document.createElement("span");
  let paused = false;
  button.type = "button";
  status.setAttribute("role", "status");
  bar.replaceChildren(button, status);

  const show = (ended) => {
    button.hidden = ended;
    button.textContent = paused ? "Continue" : "Pause";
    status.textContent = ended ? "The crawl has ended." : paused ? "Updates are paused." : "The numbers update automatically.";
  };

  const inUse = (live) => live.contains(document.activeElement) || (!getSelection().isCollapsed && live.contains(getSelection().anchorNode));

  const update = async () => {
    const live = document.getElementById("live");
    if (!paused && !document.hidden && !inUse(live)) {
      try {
        const response = await fetch(location.href);
        const page = new DOMParser().parseFromString(await response.text(), "text/html");
        const next = page.getElementById("live");
        if (next && !paused && !inUse(live)) {
          const open = [...live.querySelectorAll("details")].map((each) => each.open);
          next.querySelectorAll("details").forEach((each, place) => { each.open = open[place] ?? each.open; });
          live.replaceWith(document.adoptNode(next));
        }
      } catch {
        status.textContent = "The gateway does not respond. Trying again soon.";
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
