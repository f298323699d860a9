/** A recipe as make would run it, in the order of the run. */
export interface RecipeStep {
  readonly target: string;
  /** Where the recipe stands; no line for a rule that is built into make. */
  readonly file: string;
  readonly line: number | undefined;
  /** Each is run by a shell of its own, unless the makefile says `.ONESHELL`. */
  readonly lines: readonly string[];
}

export interface PrintedRecipes {
  readonly steps: readonly RecipeStep[];
  /** The data base behind the recipes. */
  readonly database: string;
  /** What make printed before the first recipe: the makefile's own $(info …). */
  readonly before: readonly string[];
}

/** `Makefile:12: update target 'a.o' due to: a.c`; GNU make 4.0 to 4.4 word it in three ways. */
const HEAD = /^(.+?):(?:(\d+):)? (?:update )?target '(.+?)' (?:does not exist|is \.PHONY|due to: )/;
const DATABASE = /^# Make data base, printed on /m;

/**
 * Reads what `make -n --trace -p` prints: for each recipe a line that names target and place, then its commands with all
 * variables replaced, then the data base.
 */
export function readTrace(text: string): PrintedRecipes {
  const at = DATABASE.exec(text)?.index ?? text.length;
  const steps: (RecipeStep & { lines: string[] })[] = [];
  const before: string[] = [];
  for (const line of logicalLines(text.slice(0, at))) {
    const [, file, number, target] = HEAD.exec(line) ?? [];
    const last = steps.at(-1);
    if (file !== undefined && target !== undefined) {
      steps.push({ target, file, line: number === undefined ? undefined : Number(number), lines: [] });
    } else if (last !== undefined) last.lines.push(line);
    else before.push(line);
  }
  return {
    steps: steps.map((step) => ({ ...step, lines: withoutBanner(step.lines) })),
    database: text.slice(at),
    before,
  };
}

/** The version of make stands between the last recipe and the data base. */
function withoutBanner(lines: readonly string[]): string[] {
  const banner = lines.findIndex((line) => line.startsWith('# GNU Make '));
  return (banner < 0 ? lines : lines.slice(0, banner)).filter((line) => line.trim() !== '' && !isMessage(line));
}

/** Messages of make itself on standard output. */
const isMessage = (line: string): boolean => /^make(?:\[\d+\])?: /.test(line);

/** Lines with those that a backslash at the end continues. */
function logicalLines(text: string): string[] {
  const found: string[] = [];
  let open = '';
  for (const line of text.split('\n')) {
    const whole = open === '' ? line : `${open}\n${line}`;
    const isContinued = /(?<!\\)(?:\\\\)*\\$/.test(line);
    if (!isContinued) found.push(whole);
    open = isContinued ? whole : '';
  }
  return open === '' ? found : [...found, open];
}
