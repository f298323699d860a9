import type { Block, DocumentTable, ReportDocument } from './document.ts';
import { escapeHtml } from './escape.ts';
import { graphSvg, MOST_BOXES } from './graph-svg.ts';
import { STYLE } from './style.ts';
import { timelineSvg } from './timeline-svg.ts';

/**
 * The report as one HTML file, without scripts and without anything from elsewhere: it opens offline, and as an attachment of a
 * mail. The policy refuses both, should a text ever get through unescaped.
 */
export function htmlOf({ title, sections }: ReportDocument): string {
  const links = sections.map((section, at) => `<li><a href="#part${at}">${escapeHtml(section.title)}</a></li>`);
  const parts = sections.map(
    (section, at) =>
      `<section id="part${at}" aria-labelledby="title${at}"><h2 id="title${at}">${escapeHtml(section.title)}</h2>\n${section.blocks.map(blockOf).join('\n')}</section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${escapeHtml(title)}</h1></header>
<nav aria-label="Parts"><ul>${links.join('')}</ul></nav>
<main>
${parts.join('\n')}
</main>
</body>
</html>
`;
}

function blockOf(block: Block): string {
  switch (block.kind) {
    case 'text':
      return `<p${block.tone === undefined ? '' : ` class="${block.tone}"`}>${escapeHtml(block.text)}</p>`;
    case 'facts':
      return `<dl>${block.items.map(([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl>`;
    case 'table':
      return tableOf(block);
    case 'lines':
      return `<p>${escapeHtml(block.title)}</p>\n${scrolled(block.title, `<pre>${escapeHtml(block.lines.join('\n'))}</pre>`)}`;
    case 'graph': {
      const more = block.graph.families.length - MOST_BOXES;
      const note = more > 0 ? `<p>The picture shows the first ${MOST_BOXES} families.</p>` : '';
      return `${scrolled('Picture of the families', graphSvg(block.graph))}${note}`;
    }
    case 'timeline':
      return scrolled('Picture of the run over time', timelineSvg(block.timeline));
  }
}

function tableOf({ title, columns, rows }: DocumentTable): string {
  const kind = (at: number) => (columns[at]?.isNumber === true ? ' class="number"' : '');
  const head = columns.map((column, at) => `<th scope="col"${kind(at)}>${escapeHtml(column.title)}</th>`).join('');
  const body = rows
    .map((row) => `<tr>${row.map((cell, at) => `<td${kind(at)}>${escapeHtml(cell)}</td>`).join('')}</tr>`)
    .join('\n');
  return scrolled(
    title,
    `<table><caption>${escapeHtml(title)}</caption><thead><tr>${head}</tr></thead><tbody>\n${body}</tbody></table>`,
  );
}

/** Wider than a phone: it scrolls by itself, also from the keyboard. */
const scrolled = (label: string, inner: string) =>
  `<div class="wide" role="group" tabindex="0" aria-label="${escapeHtml(label)}">${inner}</div>`;
