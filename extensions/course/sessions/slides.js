// Arrow keys, space and page keys turn slides; Home and End go to the first and the last.
const slides = [...document.querySelectorAll(".slide")];
const steps = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 };
const shown = () => slides.reduce((best, slide, place) =>
  Math.abs(slide.getBoundingClientRect().top) < Math.abs(slides[best].getBoundingClientRect().top) ? place : best, 0);
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const ends = { Home: 0, End: slides.length - 1 };
  const step = event.shiftKey && event.key === " " ? -1 : steps[event.key];
  const place = ends[event.key] ?? (step === undefined ? undefined : shown() + step);
  if (place === undefined) return;
  event.preventDefault();
  slides[Math.min(Math.max(place, 0), slides.length - 1)].scrollIntoView();
});
