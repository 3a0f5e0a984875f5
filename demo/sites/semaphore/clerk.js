// Asks for a file that the robots.txt of this site forbids, and says so.
fetch("/keys/all.json").then(answer => answer.text(), () => "The keys were not given out.").then(said => {
  document.getElementById("app").innerHTML = "<h1>The clerk</h1><p></p>";
  document.querySelector("#app p").textContent =
    said + " So the clerk stamps forms in triplicate: one for the drawer, one for the stove and one for the goat.";
});
