// Fills the telegraph room with its data, and makes a link that stands in no page.
fetch("/signals/today.json").then(answer => answer.json()).then(today => {
  const room = document.getElementById("app");
  room.innerHTML = "<h1>Signals of today</h1>";
  for (const signal of today) {
    const line = document.createElement("p");
    line.textContent = signal;
    room.append(line);
  }
  const link = document.createElement("a");
  link.href = "/signals/codebook.html";
  link.textContent = "The code book";
  room.append(link);
});
