
// The form takes what is dropped on the page, a folder too, and sends itself as soon as files are chosen.
const ask = document.getElementById("ask");
if (ask) {
  const drop = document.getElementById("drop"), status = document.getElementById("status");
  const send = () => {
    ask.classList.add("busy");
    status.textContent = "Looking…";
    ask.requestSubmit();
  };
  const text = document.getElementById("text");
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
  });
  addEventListener("pageshow", () => {
    ask.classList.remove("busy");
    status.textContent = "";
  });
  // filesOf returns the files of an entry, with their paths as names.
  const filesOf = async (entry, path) => {
    if (entry.isFile) {
      const file = await new Promise((done, failed) => entry.file(done, failed));
      return [new File([file], path + file.name, {type: file.type})];
    }
    const reader = entry.createReader(), files = [];
    for (;;) {
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (!some.length) return files;
      for (const e of some) if (!e.name.startsWith(".")) files.push(...await filesOf(e, path + entry.name + "/"));
    }
  };
  if (drop) {
    const input = document.getElementById("files"), folder = document.getElementById("folder");
    for (const i of [input, folder]) i.addEventListener("change", () => i.files.length && send());
    addEventListener("paste", (event) => {
      if (!event.clipboardData.files.length) return;
      event.preventDefault();
      input.files = event.clipboardData.files;
      send();
    });
    const has = (event) => event.dataTransfer?.types.includes("Files");
    for (const over of ["dragenter", "dragover"]) {
      addEventListener(over, (event) => {
        if (!has(event)) return;
        event.preventDefault();
        drop.classList.add("over");
      });
    }
    addEventListener("dragleave", (event) => event.relatedTarget || drop.classList.remove("over"));
    addEventListener("drop", async (event) => {
      if (!has(event)) return;
      event.preventDefault();
      drop.classList.remove("over");
      status.textContent = "Reading…";
      const entries = [...event.dataTransfer.items].map((i) => i.webkitGetAsEntry?.()).filter(Boolean);
      const plain = [...event.dataTransfer.files];
      try {
        const files = entries.length ? (await Promise.all(entries.map((e) => filesOf(e, "")))).flat() : plain;
        const list = new DataTransfer();
        for (const f of files) list.items.add(f);
        folder.value = "";
        input.files = list.files;
        if (files.length) send();
        else status.textContent = "There are no files in it.";
      } catch {
        status.textContent = "These files cannot be read.";
      }
    });
  }
}

// The slider says what it stands at and greys what it leaves out, and shows the groups when it is let go.
const slider = document.querySelector("#slider input");
if (slider) {
  const rising = "rising" in slider.dataset;
  slider.addEventListener("input", () => {
    const at = Number(slider.value);
    document.querySelector("#slider output").textContent = slider.value;
    for (const bar of document.querySelectorAll("#slider rect")) {
      const from = Number(bar.dataset.from);
      bar.classList.toggle("out", rising ? from < at - 1e-9 : from > at);
    }
  });
  slider.addEventListener("change", () => slider.form.requestSubmit());
}

// Sliders hide pairs by how much they share.
const shared = [...document.querySelectorAll(".shared>li")];
if (shared.length > 2) {
  const bounds = document.createElement("div"), told = document.createElement("p"), all = [];
  const add = (name, label, least, value, hides, text) => {
    const most = Math.max(...shared.map((row) => value(Number(row.dataset[name])))), from = Math.min(...shared.map((row) => value(Number(row.dataset[name]))));
    if (from >= most) return;
    const p = document.createElement("p"), title = document.createElement("label"), range = document.createElement("input"), at = document.createElement("output");
    Object.assign(range, {type: "range", id: "bound-" + name, min: from, max: most, step: least, value: hides(0, 1) ? from : most});
    title.htmlFor = range.id;
    title.textContent = label;
    p.append(title, " ", at, range);
    bounds.append(p);
    all.push({range, show: () => at.textContent = text(Number(range.value)), out: (row) => hides(value(Number(row.dataset[name])), Number(range.value))});
    range.addEventListener("input", show);
  };
  const show = () => {
    for (const bound of all) bound.show();
    for (const row of shared) row.hidden = all.some((bound) => bound.out(row));
    const few = (row) => row.dataset.once < 1000, said = (rows) => `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
    told.textContent = `${said(shared.filter((row) => !few(row)))} listed pairs` + (shared.some(few) ? `; ${said(shared.filter(few))} of which less is shared` : "");
  };
  const same = (x) => x, number = (x) => x.toLocaleString("en"), below = (x, bound) => x < bound - 1e-9;
  add("words", "Words of a pair, at least", 1, same, below, number);
  add("edits", "Words that differ, at most", 1, same, (x, bound) => x > bound, number);
  add("once", "Once in so many pairs, at least", 0.1, (x) => Math.floor(10 * Math.log10(x) + 1e-9) / 10, below, (x) => number(Number((10 ** x).toPrecision(2))));
  bounds.className = "bounds";
  told.className = "notes";
  told.setAttribute("role", "status");
  bounds.append(told);
  shared[0].parentElement.before(bounds);
  show();
}

// Marks of the pairs of a group are labels of the collection: those of all groups that this browser has seen are saved together.
const reviewed = document.getElementById("reviewed");
if (reviewed) {
  const root = document.getElementById("review"), said = {right: "yes", wrong: "no", unsure: ""};
  const told = () => {
    const marks = Object.values(all.marks()), n = (mark) => marks.filter((m) => m === mark).length;
    reviewed.querySelector("[role=status]").textContent =
      `${marks.length} marked in this collection: ${n("right")} right, ${n("wrong")} wrong, ${n("unsure")} unsure, which get no label.`;
  };
  const all = marking(root, {key: root.dataset.key, name: (pair) => pair.dataset.label, told, done: () => reviewed.focus()});
  document.getElementById("save").addEventListener("click", () => {
    const marks = all.marks(), notes = all.notes();
    const lines = Object.keys({...marks, ...notes}).map((pair) => JSON.stringify({...JSON.parse(pair), label: said[marks[pair]] ?? "", ...(notes[pair] ? {note: notes[pair]} : {})}));
    save("labels.jsonl", "application/x-ndjson", lines.map((line) => line + "\n").join(""));
  });
  document.getElementById("clear").addEventListener("click", () => all.keep({}, {}));
  reviewed.hidden = false;
  all.show();
}
