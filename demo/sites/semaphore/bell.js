// Waits for a bell that nobody rings.
setInterval(() => { /* not yet */ }, 100);
new Promise(() => {}).then(() => { document.getElementById("app").textContent = "It rang."; });
