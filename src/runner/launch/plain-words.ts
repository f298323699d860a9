/**
 * The words of a command that bash would start as it stands: a program and arguments in which bash changes no letter. Undefined if
 * bash may do anything else with it.
 */
export function plainWords(script: string): readonly [program: string, ...arguments: string[]] | undefined {
  if (script.length > LONGEST || !PLAIN.test(script)) return undefined;
  const words = script.trim().split(BLANKS) as [string, ...string[]];
  const [program] = words;
  if (ANSWERS.has(program)) return words.length === 1 ? words : undefined;
  return OF_BASH.has(program) ? undefined : words;
}

/** The limit of one argument, which a longer command exceeds in bash, is a hundred times this. */
const LONGEST = 4096;

const BLANKS = /[ \t]+/;

/**
 * Letters that mean nothing to bash. The program is no assignment (`A=1`), job (`%1`), option (`-x`) or home folder (`~/a`); a line
 * break ends a command, and may only stand at the end.
 */
const PLAIN = /^[ \t]*[A-Za-z0-9_./][A-Za-z0-9_./@+-]*(?:[ \t]+[A-Za-z0-9_./:,@%+=-]+)*[ \t\n]*$/;

/** Without arguments a program of this name does what the command of bash does. */
const ANSWERS: ReadonlySet<string> = new Set(['true', 'false']);

/** Reserved words and builtin commands of bash 3 to 5, with letters that `PLAIN` lets pass. */
const OF_BASH: ReadonlySet<string> = new Set(
  `if then else elif fi case esac for select while until do done in function time coproc
  . alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit
  export fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set
  shift shopt source suspend test times trap type typeset ulimit umask unalias unset wait`.split(/\s+/),
);
