import { shellWord } from '../../core/text/shell-word.ts';
import type { RecipeLine } from './trace.ts';

/**
 * The command of a job that does what make does with a recipe: a shell for each line, and the first one that fails ends it,
 * except those that begin with `-`.
 *
 * Lines are written as they are wherever bash, which runs the commands of jobs, does the same with them; the others get the
 * shell of the makefile.
 */
export function commandOf(lines: readonly RecipeLine[], ignored: ReadonlySet<number>, isOneShell: boolean): string {
  const parts = lines.map((line, at) =>
    lineOf(line, { isIgnored: ignored.has(at), isOnly: lines.length === 1, isOneShell }),
  );
  return parts.length === 1 ? (parts[0] ?? '') : ['set -e', ...parts].join('\n');
}

interface Place {
  readonly isIgnored: boolean;
  readonly isOnly: boolean;
  readonly isOneShell: boolean;
}

function lineOf(line: RecipeLine, { isIgnored, isOnly, isOneShell }: Place): string {
  const isPlain = !isOneShell && isLikeBash(line) && (isOnly ? !isIgnored : isSimple(line.text));
  const text = isPlain ? line.text : inShell(line);
  return isIgnored ? `${text} || true` : text;
}

const inShell = ({ program, flags, text }: RecipeLine): string => `${program} ${flags} ${shellWord(text)}`;

/** Does bash do with the line what the usual /bin/sh does? Where /bin/sh is dash, `[[` is an error and `{a,b}` a name. */
const isLikeBash = ({ program, flags, text }: RecipeLine): boolean =>
  flags === '-c' &&
  (/(?:^|\/)bash$/.test(program) || (/(?:^|\/)(?:sh|dash)$/.test(program) && !OF_BASH.some((each) => each.test(text))));

const OF_BASH: readonly RegExp[] = [
  // The program of a line without signs of the shell, and all others.
  /\becho\b(?=[^\n]*\\[^\n])(?=[^]*[#;"*?[\]&|<>(){}$`^~!\n])|\becho\s+-\w*[eE]/,
  /(?<!\$)\{[^\s{}]*(?:,|\.\.)[^\s{}]*\}/,
  /\[\[|(?<!\$)\(\(|\$\[|\$['"]|==|=~/,
  /&>|>&(?!\s*[\d-])|[<>]\(|<<<|\|&|;;?&/,
  /\$\{!|\$\{\w+(?:\[|[/^,@]|:(?![-+=?]))/,
  /\$\{?(?:BASH\w*|RANDOM|SRANDOM|SECONDS|EPOCH\w+|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE|E?UID|GROUPS|PIPESTATUS|FUNCNAME|DIRSTACK|SHELLOPTS|SHLVL|LINENO|0)\b/,
  /(?:^|[\s;&|({`])(?:source|declare|typeset|let|shopt|pushd|popd|dirs|mapfile|readarray|time|coproc|select|function|disown|enable|help|history|builtin|local|type|ulimit|trap|umask|hash|kill|set)(?:\s|$)/,
  /\bprintf\b[^\n]*%(?:q|\()|\bread\s+-[^r\s]|\bwait\s+-n|\bexec\s+-\w|\b(?:test|\[)\b[^\n]*\s[<>]\s/,
];

/** One program with its arguments and redirections: in a list with `set -e` it is what it is in a shell of its own. */
const isSimple = (line: string): boolean =>
  // What is open at the end of the line would take the next one.
  !/['"]|\\$/.test(line.replaceAll(/\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"/g, '')) &&
  !/[;&|(){}`#!\n]|\$\(|<</.test(line.replaceAll(/'[^']*'|\d*>&\d/g, '')) &&
  !/^\s*(?:cd|export|set|exit|exec|unset|ulimit|umask|trap|source|\.|eval|alias|shift|return|readonly|local|declare|pushd|popd|shopt|[A-Za-z_]\w*=\S*|if|for|while|until|case|wait|read)(?:\s|$)/.test(
    line,
  );

/** The logical lines of a recipe as it stands in the makefile: those that a backslash continues are one. */
export function writtenLines(recipe: readonly string[]): string[] {
  const found: string[] = [];
  let isOpen = false;
  for (const line of recipe) {
    if (isOpen) found.push(`${found.pop() ?? ''}\n${line}`);
    else found.push(line);
    isOpen = /(?<!\\)(?:\\\\)*\\$/.test(line);
  }
  return found;
}

/** `@`, `-` and `+` at the beginning of a line, in any order. */
export const prefixOf = (line: string): string => /^[\s@+-]*/.exec(line)?.[0] ?? '';
