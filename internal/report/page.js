"use strict";
// Without this script everything on the page can be read and reached. It follows the links between pairs,
// marks what belongs together in the two texts, and copies the command.
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#texts-"]');
  if (!link) return;
  const pair = document.getElementById(link.hash.slice(1)).closest("details");
  event.preventDefault();
  pair.open = true; // closes the other, since they have one name
  pair.scrollIntoView({block: "start"});
  pair.querySelector("summary").focus({preventScroll: true});
});

const light = (event) => {
  for (const lit of document.querySelectorAll(".lit")) lit.classList.remove("lit");
  const mark = event.target.closest("[data-n]");
  if (!mark) return;
  for (const other of mark.closest(".texts").querySelectorAll(`[data-n="${mark.dataset.n}"]`)) other.classList.add("lit");
};
document.addEventListener("mouseover", light);
document.addEventListener("click", light);

const copy = document.getElementById("copy");
if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(document.getElementById("command").textContent);
      copy.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(document.getElementById("command"));
      copy.textContent = "Selected: press Ctrl+C";
    }
  });
}
