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
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#pair-"]');
  if (link) document.getElementById(link.hash.slice(1)).open = true;
});
