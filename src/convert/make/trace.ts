import { readWalk, type MakeWalk } from './walk.ts';

/** A line of a recipe as make would run it: variables are replaced, `@`, `-` and `+` before it are gone. */
export interface RecipeLine {
  readonly text: string;
  readonly program: string;
  readonly flags: string;
  /** The flags are those of make, not of the makefile. */
  readonly areFlagsOfMake: boolean;
}

/** A recipe as make would run it, in the order of the run. */
export interface RecipeStep {
  readonly target: string;
  /** Where the recipe stands; no line for a rule that is built into make. */
  readonly file: string;
  readonly line: number | undefined;
  /** Frames of $(shell …) in its values, which make expands before it names the target. */
  readonly framesBefore: number;
  /** Each is run by a shell of its own, unless the makefile says `.ONESHELL`. */
  readonly lines: readonly RecipeLine[];
}

export interface PrintedRecipes {
  readonly steps: readonly RecipeStep[];
  readonly walk: MakeWalk;
  /** The data base behind the recipes. */
  readonly database: string;
  /** Targets with a recipe that make prints in a way that is not known. */
  readonly unread: readonly string[];
  /** All other lines: messages of make, what $(info …) prints, and what lines print that make runs. */
  readonly others: readonly string[];
}

/**
 * What make expands for each line of a recipe before it prints the line, as it looks for the variable IFS of the target: no makefile
 * sets it. So the line is framed, and the shell is the one of this target. $(shell …) in a recipe expands it, too, but before make
 * names the target.
 */
export const FRAME = ['program:$(SHELL)', 'flags:$(origin .SHELLFLAGS):$(.SHELLFLAGS)', 'line:']
  .map((each) => `$(info torc-${each})`)
  .join('');

const PROGRAM = 'torc-program:';
const FLAGS = 'torc-flags:';
const LINE = 'torc-line:';

/** `Makefile:12: update target 'a.o' due to: a.c`; GNU make 4.0 to 4.4 word it in three ways. */
const HEAD = /^(.+?):(?:(\d+):)? (?:update )?target '(.+?)' (?:does not exist|is \.PHONY|due to: )/;
const MADE = /^ *Must remake target '(.*)'\.$/;
const END = /^ *(?:Successfully remade|Failed to remake) target file '(.*)'\.$/;
const DATABASE = /^# Make data base, printed on /m;

type Written = { -readonly [K in keyof RecipeLine]: RecipeLine[K] };

/**
 * Reads what `make -n --trace --debug=v -p` prints with FRAME: for each recipe a line that names target and place, then its
 * commands with all variables replaced; how make goes through the targets; then the data base.
 */
export function readTrace(text: string): PrintedRecipes {
  const at = DATABASE.exec(text)?.index ?? text.length;
  const steps: (Omit<RecipeStep, 'lines'> & { lines: Written[] })[] = [];
  const others: string[] = [];
  const lines = text.slice(0, at).split('\n');
  let made: string | undefined;
  let isInRecipe = false;
  let isInLine = false;
  // Since make began with a target.
  let frames = 0;
  const unread: string[] = [];
  let shell = { program: '', flags: '', areFlagsOfMake: false };
  lines.forEach((line, number) => {
    const last = steps.at(-1)?.lines.at(-1);
    const head = isInRecipe ? undefined : headOf(line, made, lines[number + 1]);
    if (END.exec(line)?.[1] === made && made !== undefined) {
      if (!isInRecipe && frames > 0) unread.push(made);
      [isInRecipe, isInLine, frames] = [false, false, 0];
      others.push(line);
    } else if (line.startsWith(PROGRAM)) [shell, isInLine] = [{ ...shell, program: line.slice(PROGRAM.length) }, false];
    else if (line.startsWith(FLAGS)) shell = { ...shell, ...flagsIn(line.slice(FLAGS.length)) };
    else if (line.startsWith(LINE)) {
      [isInLine, frames] = [isInRecipe, frames + 1];
      if (isInRecipe) steps.at(-1)?.lines.push({ text: '', ...shell });
    } else if (head !== undefined) {
      steps.push({ ...head, framesBefore: frames, lines: [] });
      isInRecipe = true;
    } else if (isInLine && last !== undefined) last.text = last.text === '' ? line : `${last.text}\n${line}`;
    else {
      others.push(line);
      const [, begun] = MADE.exec(line) ?? [];
      if (begun !== undefined) [made, frames] = [begun, 0];
    }
  });
  return {
    steps: steps.map((step) => ({ ...step, lines: step.lines.filter(({ text: each }) => each.trim() !== '') })),
    walk: readWalk(others),
    unread,
    database: text.slice(at),
    others,
  };
}

/** The line that names a target; $(info …) in its recipe may print such a line, too, but before make names it. */
function headOf(
  text: string,
  made: string | undefined,
  next: string | undefined,
): Pick<RecipeStep, 'target' | 'file' | 'line'> | undefined {
  const [, file, line, target] = HEAD.exec(text) ?? [];
  if (file === undefined || target === undefined || target !== made || next?.startsWith(PROGRAM) !== true)
    return undefined;
  return { target, file, line: line === undefined ? undefined : Number(line) };
}

function flagsIn(text: string): Pick<RecipeLine, 'flags' | 'areFlagsOfMake'> {
  const [, origin = '', flags = ''] = /^([^:]*):(.*)$/.exec(text) ?? [];
  return { flags, areFlagsOfMake: origin === 'default' };
}
