// Searches the pages. The index is a script, which is loaded when it is first wanted, so that a site on a disk can be searched.
(() => {
  const root = document.currentScript.dataset.root;
  const form = document.querySelector("form[role=search]");
  const input = form.querySelector("input");
  const results = document.getElementById("results");
  const most = 20, around = 60;
  form.hidden = false;

  let loading;
  const load = () => loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = root + "index.js";
    script.onload = () => done(window.simsearchIndex.map(e => ({ ...e, words: [e.p, e.h ?? "", e.t].map(words) })));
    script.onerror = failed;
    document.head.append(script);
  });

  const words = text => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const weights = [4, 6, 1]; // of the title of a page, of a heading, and of a text

  // score returns how well an entry answers: every word of the query has to begin a word of it.
  const score = (entry, query) => {
    let sum = 0;
    for (const q of query) {
      let best = 0;
      entry.words.forEach((all, i) => {
        let found = 0;
        for (const w of all) {
          if (w === q) found += 1;
          else if (w.startsWith(q)) found += 0.5;
        }
        if (found > 0) best += weights[i] * (1 + Math.log(1 + found)) / (i === 2 ? Math.sqrt(1 + all.length / 200) : 1);
      });
      if (best === 0) return 0;
      sum += best;
    }
    return entry.m ? sum / 3 : sum;
  };

  // excerpt returns the text around the first word that was asked for.
  const excerpt = (text, query) => {
    const lower = text.toLowerCase();
    const at = Math.max(0, Math.min(...query.map(q => lower.indexOf(q)).filter(i => i >= 0).concat(lower.length)));
    const from = at === lower.length ? 0 : Math.max(0, text.lastIndexOf(" ", Math.max(0, at - around)) + 1);
    return (from > 0 ? "… " : "") + text.slice(from, from + 3 * around) + (from + 3 * around < text.length ? " …" : "");
  };

  // marked appends a text to a node, in which the words that were asked for are marked.
  const marked = (node, text, query) => {
    const pattern = new RegExp("(?<![\\p{L}\\p{N}])(" + query.join("|") + ")", "giu");
    text.split(pattern).forEach((piece, i) => {
      if (i % 2) node.append(Object.assign(document.createElement("mark"), { textContent: piece }));
      else node.append(piece);
    });
  };

  const show = async () => {
    const query = words(input.value);
    if (query.length === 0) {
      results.hidden = true;
      return;
    }
    const found = (await load()).map(entry => ({ entry, by: score(entry, query) })).filter(f => f.by > 0).sort((a, b) => b.by - a.by);
    const about = document.createElement("p");
    about.textContent = found.length === 0 ? "Nothing found" : found.length > most ? `${found.length} places, the first ${most}` : found.length === 1 ? "1 place" : `${found.length} places`;
    results.replaceChildren(about, ...found.slice(0, most).map(({ entry }) => {
      const link = document.createElement("a");
      link.href = root + entry.l;
      const title = document.createElement("strong");
      marked(title, entry.h ? `${entry.p} › ${entry.h}` : entry.p, query);
      const text = document.createElement("span");
      marked(text, excerpt(entry.t, query), query);
      link.append(title, text);
      return link;
    }));
    results.hidden = false;
  };

  input.addEventListener("input", show);
  input.addEventListener("focus", () => { load(); show(); });
  form.addEventListener("submit", event => {
    event.preventDefault();
    results.querySelector("a")?.click();
  });
  form.addEventListener("keydown", event => {
    const all = [input, ...results.querySelectorAll("a")], at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (to !== undefined && all[to]) {
      event.preventDefault();
      all[to].focus();
    } else if (event.key === "Escape") {
      results.hidden = true;
      input.blur();
    }
  });
  document.addEventListener("click", event => { if (!form.contains(event.target)) results.hidden = true; });
  document.addEventListener("keydown", event => {
    if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      input.focus();
    }
  });

  // An address such as index.html?q=passages shows what is found.
  const asked = new URLSearchParams(location.search).get("q");
  if (asked) {
    input.value = asked;
    show();
  }
})();
