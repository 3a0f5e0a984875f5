// How may the question in the search box go on? The list under it is filled while it is typed.
// Without this script the box is a box like any other.
const box = document.getElementById("q");
const list = document.getElementById("completions");
const PAUSE = 80; // milliseconds without another letter, after which the server is asked
let waiting;

async function fill() {
  const typed = box.value;
  const answer = await fetch("/api/suggest?q=" + encodeURIComponent(typed));
  if (!answer.ok || box.value !== typed) return; // a later letter has its own answer
  const [, questions] = await answer.json();
  list.replaceChildren(...questions.map((question) => new Option("", question)));
}

box.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(fill, PAUSE);
});
