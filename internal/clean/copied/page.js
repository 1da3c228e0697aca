
// The slider hides the pairs whose shared parts are not unlikely enough.
const slider = document.querySelector("#slider input");
if (slider) {
  slider.closest("p").hidden = false;
  const show = () => {
    const least = 10 ** slider.value;
    let shown = 0;
    for (const cell of document.querySelectorAll("td.once")) {
      const hidden = Number(cell.textContent.replaceAll(",", "")) < Math.round(least);
      if (!hidden) shown++;
      cell.closest("tr").hidden = hidden;
      const pair = document.getElementById(cell.closest("tr").querySelector("a")?.hash.slice(1));
      if (pair) pair.hidden = hidden;
    }
    pairsOfPage().forEach((pair, i, all) => (pair.querySelector(".step > :nth-child(2)").textContent = `pair ${i + 1} of ${all.length}`));
    document.querySelector("#slider output").textContent = `once in ${Math.round(least).toLocaleString("en")} or less: ${shown} of these pairs`;
  };
  slider.addEventListener("input", show);
  show();
  const link = document.querySelector("#slider a");
  link.addEventListener("click", () => {
    const rows = [...document.querySelectorAll("td.once")].map((cell) => cell.closest("tr"));
    const shown = [rows[0].closest("table").tHead.rows[0], ...rows.filter((row) => !row.hidden)];
    const text = (cell) => {
      const is = cell.textContent.trim();
      // A name that begins like a formula is none: it is that of another person.
      return cell.classList.contains("id") ? is.replace(/^[=+@-]/, "'$&") : is.replace(/[,\u00a0]/g, "");
    };
    const value = (cell) => `"${text(cell).replaceAll('"', '""')}"`;
    const lines = shown.map((row) => [...row.cells].map(value).join(",") + "\r\n");
    link.href = URL.createObjectURL(new Blob(["\ufeff", ...lines], { type: "text/csv" }));
  });
}

// The graph has a circle of dots for each group of submissions that pairs connect which are unlikely enough, and a line for each pair.
const graph = document.getElementById("graph");
if (graph && slider) {
  const drawn = JSON.parse(graph.dataset.pairs), names = [...new Set(drawn.flatMap((pair) => pair.slice(0, 2)))];
  const numbers = new Map(names.map((name, i) => [name, i]));
  const pairs = drawn.map(([a, b, ...rest]) => [numbers.get(a), numbers.get(b), ...rest]);
  const add = (to, name, attributes, text) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text) made.append(text);
    return to.appendChild(made);
  };
  const draw = () => {
    const shown = pairs.filter((pair) => pair[2] >= slider.value * 10 - 0.05);
    const root = names.map((_, i) => i);
    const find = (i) => (root[i] === i ? i : (root[i] = find(root[i])));
    for (const [a, b] of shown) root[find(a)] = find(b);
    const groups = new Map();
    for (const i of new Set(shown.flatMap((pair) => pair.slice(0, 2)))) {
      if (!groups.has(find(i))) groups.set(find(i), []);
      groups.get(find(i)).push(i);
    }
    const all = [...groups.values()].sort((x, y) => y.length - x.length);
    const at = new Map();
    const wide = Math.min(960, graph.parentElement.clientWidth), label = 84; // in pixels, so that names can be read
    let left = 0, top = 0, row = 0;
    for (const group of all) {
      const radius = Math.max(18, (group.length * 16) / (2 * Math.PI));
      const size = 2 * radius + 28, room = size + 2 * label, tall = group.length > 2 ? room : 40;
      if (left > 0 && left + room > wide) (left = 0), (top += row), (row = 0);
      group.sort((x, y) => x - y).forEach((i, n) => {
        const angle = (2 * Math.PI * n) / group.length + Math.PI;
        at.set(i, { angle, x: left + room / 2 + radius * Math.cos(angle), y: top + tall / 2 + radius * Math.sin(angle) });
      });
      left += room;
      row = Math.max(row, tall);
    }
    const svg = graph.querySelector("svg");
    svg.replaceChildren();
    const most = Math.max(wide, ...all.slice(0, 1).map((g) => (g.length * 16) / Math.PI + 28 + 2 * label));
    svg.setAttribute("viewBox", `0 0 ${most} ${top + row}`);
    for (const [a, b, rank, number] of shown) {
      const x = at.get(a), y = at.get(b);
      const line = add(svg, "line", { x1: x.x, y1: x.y, x2: y.x, y2: y.y, "stroke-width": rank / 40, opacity: 0.1 + rank / 150 });
      add(line, "title", {}, `${names[a]} · ${names[b]}`);
      if (document.getElementById("pair-" + number)) {
        line.classList.add("linked");
        line.addEventListener("click", () => (location.hash = "#pair-" + number));
      }
    }
    for (const [i, { x, y, angle }] of at) {
      add(add(svg, "circle", { cx: x, cy: y, r: 4 }), "title", {}, names[i]);
      const right = Math.cos(angle) > 0, own = names[i];
      const name = own.length > 14 ? "…" + own.slice(-13) : own;
      const turned = (angle * 180) / Math.PI + (right ? 0 : 180);
      add(svg, "text", { x: right ? 8 : -8, y: 3.5, "text-anchor": right ? "start" : "end", transform: `translate(${x} ${y}) rotate(${turned})` }, name);
    }
    svg.setAttribute("aria-label", `${at.size} submissions in ${all.length} groups; the tables have the same`);
    graph.hidden = shown.length === 0;
  };
  slider.addEventListener("input", draw);
  draw();
  reach();
}
