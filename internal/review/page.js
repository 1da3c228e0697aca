
// What a person says of pairs: marks by keys and buttons, kept in this browser, and how many of all pairs are right by them.
const review = document.getElementById("review");
if (review) {
  const of = JSON.parse(review.dataset.of), key = "simsearch review " + review.dataset.key;
  const pairs = [...review.querySelectorAll("details.pair")], bar = document.getElementById("reviewed");
  const signs = {right: "✓ right", wrong: "✗ wrong", unsure: "? unsure"};
  let marks = {}; // by the numbers of pairs
  try {
    marks = JSON.parse(localStorage.getItem(key)) ?? {};
  } catch { /* the browser keeps nothing, or somebody else has written there */ }

  const thousands = (n) => n.toLocaleString("en");
  // percent is truth.Percent.
  const percent = (x) => {
    const p = 100 * x;
    if (p === 0 || p > 99.995) return p.toFixed(0);
    if (p < 0.1) return String(Number(p.toPrecision(2)));
    return p.toFixed(p > 99.9 ? 2 : 1);
  };

  // stratified is truth.Stratified: a share of strata with an interval of 95 %, or null if nothing is known of one.
  const stratified = (strata) => {
    strata = strata.filter((s) => s.size > 0);
    if (!strata.length || strata.some((s) => s.marked === 0)) return null;
    const sum = (name) => strata.reduce((n, s) => n + s[name], 0);
    const size = sum("size"), marked = sum("marked"), right = sum("right");
    let share = 0, smooth = 0, variance = 0;
    for (const s of strata) {
      const weight = s.size / size;
      let p = s.right / s.marked;
      share += weight * p;
      if (s.marked < s.size) {
        p = (s.right + 1) / (s.marked + 2);
        variance += weight * weight * p * (1 - p) / s.marked * (s.size - s.marked) / (s.size - 1);
      }
      smooth += weight * p;
    }
    let low = share, high = share;
    if (variance > 0) {
      const n = smooth * (1 - smooth) / variance, z = 1.959963984540054, square = z * z;
      const centre = (share + square / (2 * n)) / (1 + square / n);
      const half = z / (1 + square / n) * Math.sqrt(Math.max(0, share * (1 - share)) / n + square / (4 * n * n));
      low = centre - half - 1 / (2 * n);
      high = centre + half + 1 / (2 * n);
    }
    low = right === 0 ? 0 : Math.max(0, low);
    high = right === marked ? 1 : Math.min(1, high);
    share = right === marked ? 1 : right === 0 ? 0 : Math.min(1, share);
    return `${percent(share)} % (${percent(low)} to ${percent(high)})`;
  };

  // sentence is Result.String.
  const sentence = () => {
    const count = {right: 0, wrong: 0, unsure: 0};
    const strata = of.strata.map((s) => ({size: s.pairs, marked: 0, right: 0}));
    pairs.forEach((pair, i) => {
      const mark = marks[i + 1], s = strata[pair.dataset.stratum];
      if (!mark) return;
      count[mark]++;
      if (mark !== "unsure") s.marked++;
      if (mark === "right") s.right++;
    });
    const n = count.right + count.wrong + count.unsure;
    let marked = `${thousands(n)} marked, ${thousands(count.right)} right and ${thousands(count.wrong)} wrong`;
    if (count.unsure) marked += `, ${thousands(count.unsure)} unsure, which do not count`;
    bar.querySelector("progress").value = n;
    const near = stratified(strata);
    if (!near) return `${marked}: too few to tell how many of all ${of.what} are right; mark some of each similarity`;
    let text = `of the ${of.what} ${stratified([...strata, {size: of.same, marked: of.same, right: of.same}])} were right`;
    if (of.same) text += `, of those with other texts ${near}`;
    return `${text} (${marked})`;
  };

  const show = () => {
    pairs.forEach((pair, i) => {
      const mark = marks[i + 1];
      pair.dataset.mark = mark ?? "";
      pair.querySelector("summary .mark").textContent = signs[mark] ?? "";
      for (const b of pair.querySelectorAll("[data-mark]")) b.setAttribute("aria-pressed", String(b.dataset.mark === mark));
    });
    const text = sentence();
    bar.querySelector("[role=status]").textContent = text[0].toUpperCase() + text.slice(1) + ".";
  };
  const keep = () => {
    try {
      localStorage.setItem(key, JSON.stringify(marks));
    } catch { /* then they are there until the page is closed */ }
    show();
  };
  const open = (pair) => {
    pair.open = true; // closes the other, since they have one name
    pair.scrollIntoView({block: "start"});
    pair.querySelector("summary").focus({preventScroll: true});
  };
  const current = () => Math.max(0, pairs.findIndex((p) => p.open));
  const unmarked = (from) => {
    for (let i = 0; i < pairs.length; i++) {
      const at = (from + i) % pairs.length;
      if (!marks[at + 1]) return at;
    }
    return -1;
  };
  const mark = (at, as) => {
    if (as) marks[at + 1] = as;
    else delete marks[at + 1];
    keep();
    if (!as) return;
    const next = unmarked(at + 1);
    if (next >= 0) open(pairs[next]);
    else bar.focus();
  };

  const keys = {y: "right", n: "wrong", u: "unsure", x: ""};
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input")) return;
    const name = event.key.toLowerCase(), at = current();
    if (name in keys) mark(at, keys[name]);
    else if (name === "arrowright") open(pairs[Math.min(pairs.length - 1, at + 1)]);
    else if (name === "arrowleft") open(pairs[Math.max(0, at - 1)]);
    else return;
    event.preventDefault();
  });
  review.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-mark]");
    if (!button) return;
    const at = pairs.indexOf(button.closest("details"));
    mark(at, marks[at + 1] === button.dataset.mark ? "" : button.dataset.mark);
  });

  document.getElementById("save").addEventListener("click", () => {
    const list = pairs.flatMap((pair, i) => marks[i + 1] ? [{id: pair.dataset.id, kept_id: pair.dataset.kept, stratum: Number(pair.dataset.stratum), mark: marks[i + 1]}] : []);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify({v: 1, of: review.dataset.key, ...of, marks: list}, null, 1) + "\n"], {type: "application/json"}));
    link.download = "marks.json";
    link.click();
    URL.revokeObjectURL(link.href);
  });
  const file = document.getElementById("file");
  document.getElementById("load").addEventListener("click", () => file.click());
  file.addEventListener("change", async () => {
    try {
      const saved = JSON.parse(await file.files[0].text());
      if (saved.of !== review.dataset.key) throw new Error("of another page");
      const at = new Map(pairs.map((p, i) => [JSON.stringify([p.dataset.id, p.dataset.kept]), i + 1]));
      for (const m of saved.marks) if (m.mark in signs) marks[at.get(JSON.stringify([m.id, m.kept_id]))] = m.mark;
      keep();
    } catch {
      bar.querySelector("[role=status]").textContent = "That file has no marks of this page.";
    }
    file.value = "";
  });
  document.getElementById("clear").addEventListener("click", () => {
    marks = {};
    keep();
    open(pairs[0]);
  });

  for (const hidden of [bar, ...review.querySelectorAll(".marks")]) hidden.hidden = false;
  show();
  const next = unmarked(0);
  if (next > 0) pairs[next].open = true;
}
