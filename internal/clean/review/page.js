
// How many of all pairs are right by the marks.
const review = document.getElementById("review");
if (review) {
  const of = JSON.parse(review.dataset.of), key = "simsearch review " + review.dataset.key;
  const bar = document.getElementById("reviewed"), number = (pair) => pair.id.slice("pair-".length);

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
    for (const pair of review.querySelectorAll("details.pair[data-mark]")) {
      const mark = pair.dataset.mark, s = strata[pair.dataset.stratum];
      if (!mark) continue;
      count[mark]++;
      if (mark !== "unsure") s.marked++;
      if (mark === "right") s.right++;
    }
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

  const told = () => {
    const text = sentence();
    bar.querySelector("[role=status]").textContent = text[0].toUpperCase() + text.slice(1) + ".";
  };
  const all = marking(review, {key, name: number, told, done: () => bar.focus()});

  document.getElementById("save").addEventListener("click", () => {
    const list = all.pairs.flatMap((p) => all.of(p) ? [{id: p.dataset.id, kept_id: p.dataset.kept, stratum: Number(p.dataset.stratum), mark: all.of(p)}] : []);
    save("marks.json", "application/json", JSON.stringify({v: 1, of: review.dataset.key, ...of, marks: list}, null, 1) + "\n");
  });
  const file = document.getElementById("file");
  document.getElementById("load").addEventListener("click", () => file.click());
  file.addEventListener("change", async () => {
    try {
      const saved = JSON.parse(await file.files[0].text());
      if (saved.of !== review.dataset.key) throw new Error("of another page");
      const at = new Map(all.pairs.map((p) => [JSON.stringify([p.dataset.id, p.dataset.kept]), number(p)])), marks = {...all.marks()};
      for (const m of saved.marks) if (m.mark in all.signs) marks[at.get(JSON.stringify([m.id, m.kept_id]))] = m.mark;
      all.keep(marks, {});
    } catch {
      bar.querySelector("[role=status]").textContent = "That file has no marks of this page.";
    }
    file.value = "";
  });
  document.getElementById("clear").addEventListener("click", () => {
    all.keep({}, {});
    openPair(all.pairs[0]);
  });

  bar.hidden = false;
  all.show();
  const next = all.unmarked(0);
  if (next && next !== all.pairs[0]) next.open = true;
}
