/** The look of a report: of the system's own fonts and colours, in light, in dark and on paper. */
export const STYLE = `
:root { --ink: #1b1f24; --dim: #4d5761; --paper: #fff; --rule: #d0d7de; --soft: #f3f5f7; --good: #1a7f37; --bad: #b3261e; --link: #0b57d0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --dim: #a9b2bb; --paper: #15181c; --rule: #3a424a; --soft: #1f242a; --good: #4ac26b; --bad: #ff8a80; --link: #8ab4f8; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 64rem; color: var(--ink); background: var(--paper); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; padding-bottom: 0.25rem; border-bottom: 1px solid var(--rule); overflow-wrap: anywhere; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 0; padding: 0; list-style: none; }
a { color: var(--link); }
p { margin: 0.5rem 0; overflow-wrap: anywhere; }
p.good, p.bad { padding-left: 0.6rem; border-left: 4px solid var(--good); font-weight: 600; }
p.bad { border-color: var(--bad); }
dl { margin: 0.5rem 0; }
dl div { display: grid; grid-template-columns: minmax(7rem, 11rem) 1fr; gap: 0.5rem; padding: 0.15rem 0; }
@media (max-width: 30rem) { dl div { grid-template-columns: 7rem 1fr; } }
dt { color: var(--dim); }
dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; margin: 0.75rem 0; }
table { border-collapse: collapse; width: max-content; max-width: 60rem; min-width: 60%; font-size: 0.92em; }
caption { text-align: left; color: var(--dim); padding-bottom: 0.3rem; }
th, td { padding: 0.25rem 0.7rem 0.25rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; white-space: nowrap; }
td { min-width: 5rem; max-width: 24rem; overflow-wrap: anywhere; }
td:last-child:not(.number) { min-width: 11rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
pre { margin: 0; padding: 0.6rem; background: var(--soft); font: 12.5px/1.45 ui-monospace, monospace; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
svg .name { font-weight: 600; }
svg .small { fill: var(--dim); font-size: 11px; }
svg .end { text-anchor: end; }
svg .box { fill: var(--soft); stroke: var(--rule); }
svg .edge { fill: none; stroke: var(--dim); }
svg .left { fill: var(--rule); }
svg .good { fill: var(--good); }
svg .bad { fill: var(--bad); }
svg .area { fill: var(--good); opacity: 0.75; }
@media print {
  :root { --ink: #000; --dim: #333; --paper: #fff; --rule: #bbb; --soft: #f3f3f3; --good: #1a7f37; --bad: #b3261e; --link: #000; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  nav { display: none; }
  .wide { overflow: visible; }
  table { width: auto; max-width: 100%; }
  svg { max-width: 100%; height: auto; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  h2 { break-after: avoid; }
  tr, svg, p { break-inside: avoid; }
}
`;
