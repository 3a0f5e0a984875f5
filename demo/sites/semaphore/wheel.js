// Turns for ever, and lets go of nothing.
while (true) {
  document.title = "Turn " + Math.random();
}
