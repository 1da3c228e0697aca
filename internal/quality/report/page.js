"use strict";
// Without this script everything on the page can be read and reached. It follows the links between pairs,
// marks what belongs together in the two texts, moves to passages, and copies the command.
const openPair = (pair) => {
  for (let d = pair; d; d = d.parentElement.closest("details")) d.open = true; // closes the other, since they have one name
  pair.scrollIntoView({block: "start"});
  pair.querySelector("summary").focus({preventScroll: true});
};
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#texts-"]');
  if (!link) return;
  event.preventDefault();
  openPair(document.getElementById(link.hash.slice(1)).closest("details"));
});

// Arrows lead to the pair before and after, and j and k to the next passage of a pair and the one before.
const pairsOfPage = () => [...document.querySelectorAll("details.pair[name]:not([hidden])")];
const currentPair = () => Math.max(0, pairsOfPage().findIndex((p) => p.open));
const passage = (step) => {
  const seen = new Set(), parts = pairsOfPage()[currentPair()]?.querySelectorAll(".a a.passage") ?? [];
  const all = [...parts].filter((a) => !seen.has(a.dataset.n) && seen.add(a.dataset.n));
  if (!all.length) return;
  const last = all.indexOf(document.activeElement);
  const to = all[last < 0 ? (step > 0 ? 0 : all.length - 1) : (last + step + all.length) % all.length];
  to.focus();
  to.click();
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input,textarea,select")) return;
  const key = event.key.toLowerCase(), at = currentPair(), pairs = pairsOfPage();
  if (key === "arrowright" && pairs.length) openPair(pairs[Math.min(pairs.length - 1, at + 1)]);
  else if (key === "arrowleft" && pairs.length) openPair(pairs[Math.max(0, at - 1)]);
  else if (key === "j") passage(1);
  else if (key === "k") passage(-1);
  else return;
  event.preventDefault();
});

const light = (event) => {
  for (const lit of document.querySelectorAll(".lit")) lit.classList.remove("lit");
  const mark = event.target.closest("[data-n]");
  if (!mark) return;
  for (const other of mark.closest(".texts").querySelectorAll(`[data-n="${mark.dataset.n}"]`)) other.classList.add("lit");
};
document.addEventListener("mouseover", light);
document.addEventListener("click", light);

// A passage of one text moves the other text to the same passage, beside it, and lights both up. Without the script, links do.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.passage");
  if (!link) return;
  const target = document.getElementById(link.hash.slice(1));
  const pane = target.closest(".pane"), here = link.closest(".pane");
  event.preventDefault();
  const beside = here.getBoundingClientRect().top === pane.getBoundingClientRect().top;
  const wanted = beside ? link.getBoundingClientRect().top : pane.getBoundingClientRect().top + pane.clientHeight / 4;
  pane.scrollTop += target.getBoundingClientRect().top - wanted;
  const n = link.dataset.n;
  for (const other of document.querySelectorAll(".pane .lit")) other.classList.remove("lit");
  for (const other of link.closest(".panes").querySelectorAll(`a.passage[data-n="${n}"]`)) other.classList.add("lit");
});
// Both texts of a pair open at their longest passage.
const place = (pair) => {
  if (!pair.open || "placed" in pair.dataset) return;
  pair.dataset.placed = "";
  for (const panes of pair.querySelectorAll(".panes")) {
    const words = {};
    for (const part of panes.querySelectorAll(".a a.passage")) words[part.dataset.n] = (words[part.dataset.n] ?? 0) + part.textContent.length;
    const longest = Object.keys(words).sort((m, n) => words[n] - words[m])[0];
    for (const pane of panes.querySelectorAll(".pane")) {
      const part = pane.querySelector(`a.passage[data-n="${longest}"]`);
      if (part) pane.scrollTop += part.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 5;
    }
  }
};
addEventListener("toggle", (event) => event.target.matches("details.pair") && place(event.target), true);
for (const pair of document.querySelectorAll("details.pair[open]")) place(pair);
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#pair-"]');
  let pair = link && document.getElementById(link.hash.slice(1));
  const before = link?.textContent.startsWith("←");
  while (pair?.hidden) pair = before ? pair.previousElementSibling : pair.nextElementSibling;
  if (pair) openPair(pair);
});

// What scrolls by itself is reached by the keyboard.
const reach = () => {
  for (const e of document.querySelectorAll(".row>div,.repeated .text,.glue,figure")) if (e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1) e.tabIndex = 0;
};
reach();
addEventListener("toggle", reach, true);

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
