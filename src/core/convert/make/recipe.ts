import { shellWord } from '../../contract/shell-word.ts';

/** How a makefile runs its recipes. */
export interface RecipeShell {
  readonly program: string;
  readonly flags: string;
  readonly isOneShell: boolean;
}

/**
 * The command of a job that does what make does with a recipe: a shell for each line, and the first one that fails ends it,
 * except those that begin with `-`.
 *
 * Lines are written as they are wherever bash, which runs the commands of jobs, does the same with them; the others get the
 * shell of the makefile.
 */
export function commandOf(lines: readonly string[], ignored: ReadonlySet<number>, shell: RecipeShell): string {
  if (shell.isOneShell) return inShell(lines.join('\n'), shell);
  const parts = lines.map((line, at) =>
    lineOf(line, { isIgnored: ignored.has(at), isOnly: lines.length === 1 }, shell),
  );
  return parts.length === 1 ? (parts[0] ?? '') : ['set -e', ...parts].join('\n');
}

function lineOf(
  line: string,
  { isIgnored, isOnly }: { readonly isIgnored: boolean; readonly isOnly: boolean },
  shell: RecipeShell,
): string {
  const isPlain = isLikeBash(shell, line) && (isOnly ? !isIgnored : isSimple(line));
  const text = isPlain ? line : inShell(line, shell);
  return isIgnored ? `${text} || true` : text;
}

const inShell = (line: string, { program, flags }: RecipeShell): string => `${program} ${flags} ${shellWord(line)}`;

/**
 * `echo` with a backslash is where bash and the usual /bin/sh differ. A line without a special character make runs without a
 * shell, so there `echo` is the program, which does what that of bash does.
 */
const isLikeBash = ({ program, flags }: RecipeShell, line: string): boolean =>
  flags === '-c' &&
  (/(?:^|\/)bash$/.test(program) ||
    (/(?:^|\/)(?:sh|dash)$/.test(program) && (!/\becho\b[^\n]*\\[^\n]/.test(line) || !OF_SHELL.test(line))));

/** The characters for which make starts a shell. */
const OF_SHELL = /[#;"*?[\]&|<>(){}$`^~!\n]/;

/** One program with its arguments and redirections: in a list with `set -e` it is what it is in a shell of its own. */
const isSimple = (line: string): boolean =>
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
