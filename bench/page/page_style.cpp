#include "bench/page/page_parts.h"

namespace ddlbench::bench {

Html page_style() {
  return Literal(R"css(
:root {
  --ink: #1b1f24; --paper: #fff; --quiet: #59636e; --grid: #e2e5e9; --rule: #8a929b; --pale: #d5d9de; --grey: #7b838c;
  --brown: #7a4b1e; --link: #0b5cad; --panel: #f4f6f8;
  --margin: clamp(12px, 3vw, 40px);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e8eaed; --paper: #15181c; --quiet: #a4adb7; --grid: #2b3138; --rule: #7a838d; --pale: #454c55;
    --grey: #959da6; --brown: #c08a55; --link: #7cb8f5; --panel: #1e2328;
  }
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; }
main, footer { max-width: 1440px; margin: 0 auto; padding: 0 var(--margin); }
h1 { margin: 28px 0 0; font-size: 1.8rem; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 44px 0 12px; padding-bottom: 4px; border-bottom: 1px solid var(--grid); font-size: 1.3rem; }
@media (min-width: 1100px) {
  .sections { display: grid; grid-template-columns: 1fr 1fr; grid-auto-flow: row dense; column-gap: 48px; }
  .broad { grid-column: span 2; }
}
section { min-width: 0; }
p { max-width: 75ch; margin: 10px 0; overflow-wrap: anywhere; }
a { color: var(--link); }
.folder, .key, footer { color: var(--quiet); font-size: .875rem; }
.folder { margin: 2px 0 12px; }
footer { margin-top: 48px; padding-bottom: 32px; }
nav ul, .legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 8px 0; padding: 0; list-style: none; }
.question { font-size: 1.25rem; line-height: 1.35; }
.verdict { padding: 12px 16px; border-left: 4px solid #0072B2; background: var(--panel); font-size: 1.05rem; }
.note { padding: 8px 16px; border-left: 4px solid #D55E00; background: var(--panel); }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr)); gap: 20px 32px; }
.charts.small { grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 12px 20px; }
.charts svg { width: 100%; max-width: 520px; }
.charts.small svg { max-width: 260px; }
figure { margin: 6px 0 0; min-width: 0; break-inside: avoid; }
figcaption { margin-bottom: 6px; font-weight: 600; font-size: .95rem; line-height: 1.3; overflow-wrap: anywhere; }
.small figcaption { font-weight: 400; font-size: .8rem; }
svg { display: block; overflow: visible; }
svg text { fill: var(--ink); font-size: 12px; font-family: inherit; }
svg .tick { fill: var(--quiet); font-size: 11px; }
.small svg text { font-size: 12px; }
.grid { stroke: var(--grid); fill: none; }
.axis { stroke: var(--rule); fill: none; }
.guide { stroke: var(--rule); stroke-width: 1.3; stroke-dasharray: 5 4; fill: none; }
.line { stroke-width: 1.7; fill: none; }
.band { opacity: .2; }
.whisker { stroke: var(--ink); stroke-width: 1.3; fill: none; }
.marker { stroke: var(--paper); stroke-width: .8; }
.hollow { fill: var(--paper); stroke-width: 1.5; }
.solid rect, .pale rect { stroke: var(--paper); stroke-width: .7; }
.pale { opacity: .5; }
.legend li { display: flex; align-items: center; gap: 6px; font-size: .875rem; }
.swatch { flex: none; width: 26px; height: 14px; }
.scroll { overflow-x: auto; }
.scroll:focus-visible { outline: 2px solid var(--link); }
.wide svg { min-width: 600px; max-width: 1100px; }
table { border-collapse: collapse; font-size: .875rem; line-height: 1.35; }
caption { padding: 4px 0 8px; color: var(--quiet); text-align: left; }
caption span { position: sticky; left: 0; display: inline-block; max-width: min(75ch, 100vw - 2 * var(--margin) - 16px); }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--grid); text-align: left; vertical-align: top; }
th { font-weight: 600; }
.data td { white-space: nowrap; font-variant-numeric: tabular-nums; }
.data .text { min-width: 22ch; white-space: normal; }
.data thead th { vertical-align: bottom; }
.data tbody th { position: sticky; left: 0; background: var(--paper); font-weight: 400; white-space: nowrap; }
.data .number { text-align: right; }
.quiet td, .quiet th { color: var(--quiet); }
.facts { width: 100%; max-width: 900px; table-layout: fixed; }
.facts th { width: 30%; font-weight: 400; color: var(--quiet); overflow-wrap: anywhere; }
.facts td { overflow-wrap: anywhere; }
thead button { padding: 0; border: 0; color: inherit; background: none; font: inherit; text-align: inherit; cursor: pointer; }
thead button:hover, thead button:focus-visible { text-decoration: underline; }
thead [aria-sort] button::after { content: " ▲"; }
thead [aria-sort=descending] button::after { content: " ▼"; }
.filter { display: flex; flex-wrap: wrap; gap: 4px 10px; align-items: center; margin: 8px 0; font-size: .875rem; }
.filter input { width: min(100%, 24ch); padding: 5px 8px; border: 1px solid var(--rule); border-radius: 4px; color: inherit; background: var(--paper); font: inherit; }
pre { overflow-x: auto; padding: 10px 14px; background: var(--panel); font-size: .875rem; }
[hidden] { display: none; }
@media print {
  :root { --ink: #000; --paper: #fff; --quiet: #444; --grid: #ddd; --rule: #777; --pale: #ccc; --grey: #777; --brown: #7a4b1e; --link: #000; --panel: #fff; }
  html { font-size: 11px; }
  nav, .filter { display: none; }
  * { print-color-adjust: exact; }
  .scroll { overflow: visible; }
  .wide svg { min-width: 0; }
  .data { width: 100%; font-size: 7.5px; }
  .data th, .data td { padding-right: 3px; }
  .data td, .data tbody th { white-space: normal; overflow-wrap: anywhere; }
  .data .text { min-width: 11ch; }
  .charts { grid-template-columns: repeat(2, 1fr); }
  .charts.small { grid-template-columns: repeat(4, 1fr); }
  h2 { break-after: avoid; }
  tr { break-inside: avoid; }
}
)css");
}

}  // namespace ddlbench::bench
