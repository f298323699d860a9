import { lineFinder } from './place.ts';

/**
 * What is probably wrong with a YAML text that cannot be parsed, and what to write.
 *
 * The parser stops where the text stops making sense and names a rule of YAML. People make the same few mistakes: missing
 * quotes, wrong indentation, tabs. Each rule below looks at the line and says the mistake in words; when none applies
 * there is no advice.
 */
export function yamlAdvice(text: string, offset: number, reason: string): string | undefined {
  const lines = text.split(/\r\n?|\n/);
  const number = lineFinder(text)(offset).line;
  const line = lines[number - 1] ?? '';
  const above = lines.slice(0, number - 1).findLast((each) => each.trim() !== '' && !each.trim().startsWith('#')) ?? '';
  const place = { line, above, reason, lines, number };
  for (const rule of RULES) {
    const advice = rule(place);
    if (advice !== undefined) return advice;
  }
  return undefined;
}

interface Place {
  readonly line: string;
  /** The last line before it that has text. */
  readonly above: string;
  readonly reason: string;
  readonly lines: readonly string[];
  readonly number: number;
}

type Rule = (place: Place) => string | undefined;

const tab: Rule = ({ line, reason }) =>
  reason.includes('tab characters') || /^ *\t/.test(line)
    ? 'the line begins with a tab character; indent with spaces'
    : undefined;

const mergeMarker: Rule = ({ lines }) =>
  lines.some((line) => /^(?:<{7}|>{7}) /.test(line))
    ? 'the file has markers of an unresolved merge (<<<<<<<, >>>>>>>); resolve the conflict'
    : undefined;

const escape: Rule = ({ reason }) =>
  reason.includes('escape sequence')
    ? 'a backslash in double quotes has a meaning of its own; use single quotes, or write \\\\'
    : undefined;

const KEY = /^(\s*(?:- +)*)([\w.-]+|'[^']*'|"[^"]*"):(?:\s+(.*))?$/;

/** A value that needs quotes, or has them in the wrong place. */
const value: Rule = ({ line, reason }) => {
  const [, , key, given = ''] = KEY.exec(line) ?? [];
  if (key === undefined) return undefined;
  const block = `write it on the next lines, indented, below \`${key}: |\``;
  const quoted = `put the value of \`${key}\` in quotes, or ${block}`;
  const first = given.slice(0, 1);
  if (first === '"' || first === "'") {
    const closes = given.indexOf(first, 1);
    const goesOn = closes > 0 && /^[^#\s]/.test(given.slice(closes + 1).trim());
    const other = first === '"' ? 'single' : 'double';
    return goesOn ? `the text goes on after its closing quote: use ${other} quotes around it, or ${block}` : undefined;
  }
  if (first === '|' || first === '>')
    return reason.includes('line break')
      ? `after \`${first}\` the text begins on the next line, indented; a command that begins with \`${first}\` needs quotes`
      : undefined;
  if ('{['.includes(first) && first !== '')
    return /[}\]],?\s*$/.test(given) && !reason.includes('indentation')
      ? undefined
      : `a text that begins with \`${first}\` needs quotes: ${quoted}`;
  if (first === '`') return `a text that begins with a backquote needs quotes: ${quoted}`;
  if (first !== '' && '*&!%@'.includes(first)) return `a text that begins with \`${first}\` needs quotes: ${quoted}`;
  return /:\s/.test(given) ? `the text contains a colon followed by a space: ${quoted}` : undefined;
};

const noBlank: Rule = ({ line, above }) => {
  for (const each of [line, above]) {
    const [, dash] = /^\s*-(\w+):/.exec(each) ?? [];
    if (dash !== undefined) return `write a space after the dash: \`- ${dash}\``;
    const [, key, rest] = /^\s*(?:- +)?(\w+):([^\s:/][^:]*)$/.exec(each) ?? [];
    if (key !== undefined) return `write a space after the colon: \`${key}: ${rest}\``;
  }
  return undefined;
};

/** The text of a block, `command: |`, that is not indented further than its key. */
const blockText: Rule = ({ line, lines, number }) => {
  const at = lines.slice(0, number - 1).findLastIndex((each) => /[|>][-+]?\s*$/.test(each));
  const [, before = '', key] = KEY.exec(lines[at] ?? '') ?? [];
  return key !== undefined && indentOf(line) <= before.length && KEY.exec(line) === null
    ? `the lines below \`${key}: |\` must be indented further than \`${key}\``
    : undefined;
};

const indentation: Rule = ({ line, above }) => {
  const [, , key] = KEY.exec(line) ?? [];
  const [, before, other] = KEY.exec(above) ?? [];
  if (key === undefined || before === undefined || other === undefined) return undefined;
  const [own, theirs] = [indentOf(line), before.length];
  if (own === theirs || line.trim().startsWith('-')) return undefined;
  return (
    `\`${key}\` begins in column ${own + 1} and \`${other}\`, above it, in column ${theirs + 1}; ` +
    'the fields of one entry begin in the same column'
  );
};

const noColon: Rule = ({ line, reason }) =>
  reason.includes("expected ':'") && /^\s*(?:- +)?[\w-]+\s*$/.test(line)
    ? `write a colon and a value after \`${line.trim().replace(/^- +/, '')}\``
    : undefined;

const inBraces: Rule = ({ reason }) =>
  reason.includes('flow collection')
    ? 'within { } and [ ] a text with braces, brackets, commas or colons needs quotes'
    : undefined;

const unclosed: Rule = ({ reason }) =>
  reason.includes('deficient indentation') || reason.includes('unexpected end')
    ? 'a quote, brace or bracket in a line above is not closed'
    : undefined;

const indentOf = (line: string): number => /^ */.exec(line)?.[0].length ?? 0;

// The first that applies is shown: a reason that the parser is sure of goes before a look at the line.
const RULES: readonly Rule[] = [
  mergeMarker,
  tab,
  escape,
  inBraces,
  unclosed,
  value,
  noBlank,
  blockText,
  noColon,
  indentation,
];
