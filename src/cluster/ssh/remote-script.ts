/**
 * What ssh passes to the login shell of a user, which may be any shell and may read any file first.
 *
 * The command is a constant of the program, but for numbers: no text of a user stands in it. It contains nothing that shells read in
 * different ways within single quotes (`!` of csh, `\` of fish, line breaks of csh), and csh takes no word above 1,024 bytes.
 *
 * The script says a line first, on both of its outputs: what came before is of the login shell. The line is computed on the host, so a
 * program that prints what it was asked to run does not say it. Only then it gets its arguments, as lines of its input: a shell that
 * reads the input in its place gets nothing to run.
 */
export interface Greeting {
  /** Different for each call. */
  readonly nonce: string;
  readonly factors: readonly [number, number];
}

/** What the script says first. */
export const greetingOf = ({ nonce, factors: [one, other] }: Greeting): string => `torc-${nonce}-${one * other}\n`;

const says = ({ nonce, factors: [one, other] }: Greeting): string =>
  `m=torc-${nonce}-$((${one}*${other})); echo $m; echo $m >&2`;

/** Says the line, and nothing else. */
export const greetingCommand = (greeting: Greeting): string => shellCommand(says(greeting));

/** Runs a script, which finds its arguments in `$1`, `$2`, …; exits with 90 if they do not arrive. */
export const scriptCommand = (greeting: Greeting, script: string): string =>
  shellCommand([says(greeting), READ_ARGUMENTS, script].join('; '));

const READ_ARGUMENTS = [
  'set --',
  'while IFS= read -r a; do case $a in end) break;; esac',
  'a=$(printf %b. "${a#=}")',
  'set -- "$@" "${a%.}"',
  'done',
  '[ "$a" = end ] || exit 90',
].join('; ');

/** The arguments as the script reads them. Line breaks and backslashes are written as numbers, which `printf %b` replaces. */
export const argumentLines = (args: readonly string[]): string =>
  [...args.map((arg) => `=${arg.replaceAll(/[\\\n]/g, octal)}`), 'end', ''].join('\n');

const octal = (character: string): string => String.raw`\0${character.charCodeAt(0).toString(8).padStart(3, '0')}`;

const shellCommand = (script: string): string => `exec /bin/sh -c '${script}'`;
