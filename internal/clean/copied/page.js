
// The slider hides the pairs whose shared parts are not unlikely enough.
const slider = document.querySelector("#slider input");
if (slider) {
  slider.closest("p").hidden = false;
  const show = () => {
    const least = 10 ** slider.value;
    let shown = 0;
    for (const cell of document.querySelectorAll("td.once")) {
      const hidden = Number(cell.textContent.replaceAll(",", "")) < Math.round(least * 0.99);
      if (!hidden) shown++;
      cell.closest("tr").hidden = hidden;
      const pair = document.getElementById(cell.closest("tr").querySelector("a")?.hash.slice(1));
      if (pair) pair.hidden = hidden;
    }
    document.querySelector("#slider output").textContent = `once in ${Math.round(least).toLocaleString("en")} or less: ${shown} of these pairs`;
  };
  slider.addEventListener("input", show);
  show();
}
