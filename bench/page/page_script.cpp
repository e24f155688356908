#include "bench/page/page_parts.h"

namespace ddlbench::bench {

Html page_script() {
  return Literal(R"js(
"use strict";
for (const table of document.querySelectorAll("table.data")) {
  const body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
  const key = (row, i) => row.cells[i].dataset.value ?? row.cells[i].textContent;
  const compare = (a, b) => {
    if (a === "" || b === "") return (a === "") - (b === "");  // empty cells come last, in both directions
    const difference = Number(a) - Number(b);
    return Number.isNaN(difference) ? a.localeCompare(b, undefined, {numeric: true}) : difference;
  };
  heads.forEach((head, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const descending = head.ariaSort === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.ariaSort = descending ? "descending" : "ascending";
      const order = (a, b) => a === "" || b === "" || !descending ? compare(a, b) : compare(b, a);
      body.append(...[...rows].sort((a, b) => order(key(a, i), key(b, i))));
    });
  });
  const label = document.createElement("label"), input = document.createElement("input"), shown = document.createElement("output");
  label.className = "filter";
  input.type = "search";
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const row of rows) row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word));
    shown.textContent = `${rows.filter(row => !row.hidden).length} of ${rows.length}`;
  });
  label.append("Show only rows with", input, shown);
  table.parentElement.before(label);
}
)js");
}

}  // namespace ddlbench::bench
