import { escapedMarkup } from './chart.ts';

/** A row of a table, as text; `link` is the target of the first cell. */
export interface PlotTableRow {
  readonly cells: readonly string[];
  readonly link?: string;
}

/** Another page, by the name of its file. */
export interface PageLink {
  readonly words: string;
  readonly to: string;
  /** The id of an element in it. */
  readonly place?: string;
}

/** Marks the pages that torc generated. */
export const GENERATOR = '<meta name="generator" content="torc plot-resources">';

/** A self-contained page: no network, no script. */
export function pageHtml(title: string, parts: readonly string[], links: readonly PageLink[] = []): string {
  const others = links.length === 0 ? '' : `<nav>${links.map(linkHtml).join(' · ')}</nav>\n`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${GENERATOR}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapedMarkup(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${others}<h1>${escapedMarkup(title)}</h1>
${parts.join('\n')}
</body>
</html>
`;
}

export const linkHtml = ({ words, to, place }: PageLink): string =>
  `<a href="${addressOf(to)}${place === undefined ? '' : `#${place}`}">${escapedMarkup(words)}</a>`;

export const listHtml = (links: readonly PageLink[], kind = ''): string =>
  `<ul${kind === '' ? '' : ` class="${kind}"`}>\n${links.map((link) => `<li>${linkHtml(link)}</li>`).join('\n')}\n</ul>`;

/** The address of a file beside the page. */
const addressOf = (file: string): string => escapedMarkup(encodeURIComponent(file));

export function tableHtml(head: readonly string[], rows: readonly PlotTableRow[]): string {
  const headings = head.map((name) => `<th>${escapedMarkup(name)}</th>`).join('');
  const body = rows.map(({ cells, link }) => {
    const [first = '', ...rest] = cells.map(escapedMarkup);
    const leading = link === undefined ? first : `<a href="${addressOf(link)}">${first}</a>`;
    return `<tr>${[leading, ...rest].map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  return `<table><thead><tr>${headings}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table>`;
}

/** Colours that colour-blind users can distinguish, on light and on dark. */
const STYLE = `
:root { color-scheme: light dark; --ink: #1d2330; --soft: #6b7280; --grid: #e3e6eb; --paper: #fff; --link: #1f5fcf; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ec; --soft: #9aa3b2; --grid: #2c323d; --paper: #14171d; --link: #8ab4ff; } }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
a { color: var(--link); } nav { color: var(--soft); font-size: 14px; }
.columns { columns: 14rem auto; } .columns li { break-inside: avoid; overflow-wrap: anywhere; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 2rem; }
svg { width: 100%; height: auto; margin: .5rem 0 1rem; }
.title { font: 600 14px system-ui, sans-serif; fill: var(--ink); }
.mark { font: 12px system-ui, sans-serif; fill: var(--soft); paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
.grid { stroke: var(--grid); } .limit, .total { stroke: #d1495b; stroke-dasharray: 6 4; } .peak { stroke: var(--soft); stroke-dasharray: 2 4; }
.line { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke: currentcolor; } .dot { fill: currentcolor; }
.c0 { color: #2f6fde; } .c1 { color: #e08a00; } .c2 { color: #12a07c; } .c3 { color: #b4519e; } .c4 { color: #7a7f8a; } .c5 { color: #a0522d; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--grid); text-align: right; }
th:first-child, td:first-child { text-align: left; } th { color: var(--soft); font-weight: 600; }
`;
