
// What a person says of the pairs of a page: marks by keys and buttons, and notes, kept in this browser. name names a pair in what is
// kept under key, which may be of other pages, too. told is called whenever a mark or a note has changed.
const save = (name, type, text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
};
const marking = (root, {key, name, told, done}) => {
  const pairs = [...root.querySelectorAll("details.pair")];
  const signs = {right: "✓ right", wrong: "✗ wrong", unsure: "? unsure"};
  const kept = (key) => {
    try {
      return JSON.parse(localStorage.getItem(key)) ?? {};
    } catch { // the browser keeps nothing, or somebody else has written there
      return {};
    }
  };
  let marks = kept(key), notes = kept(key + " notes");
  const of = (pair) => marks[name(pair)], noteOf = (pair) => pair.querySelector("[data-note]");
  const show = () => {
    for (const pair of pairs) {
      pair.dataset.mark = of(pair) ?? "";
      pair.querySelector("summary .mark").textContent = signs[of(pair)] ?? "";
      for (const b of pair.querySelectorAll("button[data-mark]")) b.setAttribute("aria-pressed", String(b.dataset.mark === of(pair)));
      const note = noteOf(pair);
      if (note && note !== document.activeElement) note.value = notes[name(pair)] ?? "";
    }
    told();
  };
  const keep = (newMarks, newNotes) => {
    [marks, notes] = [newMarks, newNotes];
    try {
      localStorage.setItem(key, JSON.stringify(marks));
      if (Object.keys(notes).length) localStorage.setItem(key + " notes", JSON.stringify(notes));
      else localStorage.removeItem(key + " notes");
    } catch { /* then they are there until the page is closed */ }
    show();
  };
  const unmarked = (from) => {
    for (let i = 0; i < pairs.length; i++) {
      const pair = pairs[(from + i) % pairs.length];
      if (!of(pair)) return pair;
    }
    return null;
  };
  const mark = (pair, as) => {
    const changed = {...marks};
    if (as) changed[name(pair)] = as;
    else delete changed[name(pair)];
    keep(changed, notes);
    if (!as) return;
    const next = unmarked(pairs.indexOf(pair) + 1);
    if (next) openPair(next);
    else done();
  };

  const keys = {y: "right", n: "wrong", u: "unsure", x: ""};
  document.addEventListener("keydown", (event) => {
    if (!pairs.length || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input,textarea,select")) return;
    const pressed = event.key.toLowerCase();
    if (!(pressed in keys)) return;
    mark(pairsOfPage()[currentPair()], keys[pressed]);
    event.preventDefault();
  });
  root.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-mark]");
    if (!button) return;
    const pair = button.closest("details");
    mark(pair, of(pair) === button.dataset.mark ? "" : button.dataset.mark);
  });
  root.addEventListener("input", (event) => {
    if (!event.target.closest("[data-note]")) return;
    const changed = {...notes}, pair = event.target.closest("details");
    if (event.target.value) changed[name(pair)] = event.target.value;
    else delete changed[name(pair)];
    keep(marks, changed);
  });
  for (const hidden of root.querySelectorAll(".marks")) hidden.hidden = false;
  return {pairs, signs, unmarked, keep, show, of, marks: () => marks, notes: () => notes};
};
