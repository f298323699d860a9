import type { Block, DocumentTable, ReportDocument } from './document.ts';

/** The report in Markdown. Pictures are left out: what they show stands in the tables beside them. */
export function markdownOf({ title, sections }: ReportDocument): string {
  const parts = sections.flatMap(({ title: heading, blocks }) => {
    const written = blocks.map(blockOf).filter((text) => text !== '');
    return written.length === 0 ? [] : [`## ${escaped(heading)}`, ...written].join('\n\n');
  });
  return `${[`# ${escaped(title)}`, ...parts].join('\n\n')}\n`;
}

function blockOf(block: Block): string {
  switch (block.kind) {
    case 'text':
      return block.tone === undefined ? escaped(block.text) : `**${escaped(block.text)}**`;
    case 'facts':
      return block.items.map(([name, value]) => `- ${escaped(name)}: ${escaped(value)}`).join('\n');
    case 'table':
      return tableOf(block);
    case 'lines':
      return `${escaped(block.title)}\n\n${fenced(block.lines)}`;
    case 'graph':
    case 'timeline':
      return '';
  }
}

function tableOf({ title, columns, rows }: DocumentTable): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(' | ')} |`;
  const rule = `|${columns.map(({ isNumber }) => (isNumber === true ? ' --: ' : ' --- ')).join('|')}|`;
  return [escaped(title), '', line(columns.map((each) => each.title)), rule, ...rows.map(line)].join('\n');
}

/** Between more backquotes than the lines have one after another. */
function fenced(lines: readonly string[]): string {
  const text = lines.join('\n');
  const longest = (text.match(/`+/g) ?? []).reduce((most, each) => Math.max(most, each.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

/** As text of one line: no character of it is notation, and no HTML. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[\\`*_[\]<>|#]/g, String.raw`\$&`)
    .replaceAll(/&(?=#?\w+;)/g, '&amp;')
    .replaceAll(/\s+/g, ' ');
