/** What make knows of a target. */
export interface Target {
  readonly prerequisites: readonly string[];
  /** Those behind `|`: they are made before, and do not make the target out of date. */
  readonly orderOnly: readonly string[];
  readonly isPhony: boolean;
  /** The recipe as it stands in the makefile, a line each, without continuations being joined. */
  readonly recipe: readonly string[];
  /** Targets that the same recipe makes. */
  readonly alsoMakes: readonly string[];
  readonly isDoubleColon: boolean;
  /** `.WAIT` stands between its prerequisites. */
  readonly hasWait: boolean;
  /** Variables of this target that its prerequisites do not get (`private`). */
  readonly privates: readonly string[];
  readonly file: string | undefined;
  readonly line: number | undefined;
  /** What `%` stands for in the rule of a pattern that makes it; undefined for a rule without one. */
  readonly stem: string | undefined;
}

export interface MakeDatabase {
  readonly targets: ReadonlyMap<string, Target>;
  /** The variables of single targets and of patterns of targets. */
  readonly ownVariables: ReadonlySet<string>;
}

/**
 * Reads the data base that `make -p` prints: every target with its prerequisites, also those that make found by pattern rules, and
 * its flags.
 *
 * Targets of double-colon rules appear once for each rule; they are put together.
 */
export function readDatabase(text: string): MakeDatabase {
  const start = /^# Files$/m.exec(text)?.index ?? text.length;
  const end = /^# files hash-table stats:/m.exec(text)?.index ?? text.length;
  const targets = new Map<string, Target>();
  const lines = text.slice(start, end).split('\n');
  const heads = lines.flatMap((line, at) => (STATE.test(line) ? [headBefore(lines, at)] : []));
  const ownVariables = new Set(variablesOfPatterns(text));
  let beginning = 0;
  heads.forEach((head, at) => {
    const end = behindRule(lines, head);
    const variables = [...variablesIn(lines.slice(beginning, head)), ...variablesIn(lines.slice(head, end))];
    beginning = end;
    for (const { name } of variables) ownVariables.add(name);
    const found = targetOf(lines.slice(head, heads[at + 1]), variables);
    if (found === undefined) return;
    const [name, target] = found;
    const other = targets.get(name);
    targets.set(name, other === undefined ? target : together(other, target));
  });
  return { targets: withBlanks(targets), ownVariables };
}

/** Of every target, behind its rule and other flags. The lines before the rule are not safe to read: values may have any lines. */
const STATE = /^#  Implicit rule search has (?:not )?been done\.$/;

function headBefore(lines: readonly string[], state: number): number {
  let at = state - 1;
  while (at > 0 && lines[at]?.startsWith('#  ') === true) at -= 1;
  return at;
}

/** Where the comments and the recipe of a target end; what follows belongs to the next one. */
function behindRule(lines: readonly string[], head: number): number {
  const end = lines.indexOf('', head);
  return end < 0 ? lines.length : end;
}

interface OwnVariable {
  readonly name: string;
  readonly isPrivate: boolean;
}

/** `%.o :`, then `# makefile (from 'Makefile', line 3)` and `# NAME = value`; values may have any lines. */
function variablesOfPatterns(text: string): string[] {
  const start = /^# Pattern-specific Variable Values$/m.exec(text)?.index ?? text.length;
  const end = /^# (?:Directories|Files)$/m.exec(text)?.index ?? text.length;
  return [...text.slice(start, end).matchAll(/^# (?:define ([^\s:=]+)$|([^\s:=]+) [:+?!]*=)/gm)].map(
    ([, of, by]) => of ?? by ?? '',
  );
}

/**
 * The variables of a target: `# makefile private (from 'Makefile', line 3)`, then `a.o: NAME = value` before the rule, or
 * `# NAME = value` behind it up to GNU make 4.2.
 */
function variablesIn(lines: readonly string[]): OwnVariable[] {
  return lines.flatMap((line, at) => {
    const [, origin, isPrivate] =
      /^# ([a-z' ]+?)( private)?(?: \(from '.*', line \d+\))?$/.exec(lines[at - 1] ?? '') ?? [];
    const [, of, by] = /^(?:# |[^#\t].*?: )(?:define ([^\s:=]+)$|([^\s:=]+) [:+?!]*=)/.exec(line) ?? [];
    const name = of ?? by;
    if (origin === undefined || origin === 'automatic' || name === undefined || name === '.SHELLSTATUS') return [];
    return [{ name, isPrivate: isPrivate !== undefined }];
  });
}

/** Make prints a name with a blank as two words; every name is a target of its own, so the longest one that fits is meant. */
function withBlanks(targets: ReadonlyMap<string, Target>): ReadonlyMap<string, Target> {
  const most = [...targets.keys()].reduce((words, name) => Math.max(words, name.split(' ').length), 1);
  if (most === 1) return targets;
  const joined = (words: readonly string[]): string[] => {
    const found: string[] = [];
    for (let at = 0; at < words.length;) {
      let length = Math.min(most, words.length - at);
      while (length > 1 && !targets.has(words.slice(at, at + length).join(' '))) length -= 1;
      found.push(words.slice(at, at + length).join(' '));
      at += length;
    }
    return found;
  };
  return new Map(
    [...targets].map(([name, { prerequisites, orderOnly, alsoMakes, ...target }]) => [
      name,
      { ...target, prerequisites: joined(prerequisites), orderOnly: joined(orderOnly), alsoMakes: joined(alsoMakes) },
    ]),
  );
}

function targetOf(
  [head = '', ...lines]: readonly string[],
  variables: readonly OwnVariable[],
): [string, Target] | undefined {
  const [, name, double, rest = ''] = /^(\S.*?):(:?)(?:\s(.*))?$/.exec(head) ?? [];
  if (name === undefined || double === undefined) return undefined;
  const [normal = '', orderOnly = ''] = rest.split(/(?:^|\s)\|(?:\s|$)/);
  const flag = (text: string) => lines.find((line) => line.startsWith(`#  ${text}`));
  const at = lines.findIndex((line) => line.startsWith('#  recipe to execute'));
  const behind = at < 0 ? [] : lines.slice(at + 1);
  const last = behind.indexOf('');
  const [, file, line] = /\(from '(.+)', line (\d+)\)/.exec(lines[at] ?? '') ?? [];
  return [
    name,
    {
      prerequisites: wordsOf(normal),
      orderOnly: wordsOf(orderOnly),
      isPhony: flag('Phony target') !== undefined,
      // Each has a tab before it, or the character of .RECIPEPREFIX.
      recipe: behind.slice(0, last < 0 ? undefined : last).map((each) => each.slice(1)),
      alsoMakes: wordsOf(/^#  Also makes: ?(.*)$/.exec(flag('Also makes') ?? '')?.[1] ?? ''),
      isDoubleColon: double === ':',
      hasWait: /(?:^|\s)\.WAIT(?:\s|$)/.test(rest),
      privates: variables.filter(({ isPrivate }) => isPrivate).map((each) => each.name),
      file,
      line: line === undefined ? undefined : Number(line),
      stem: /^#  Implicit\/static pattern stem: ['`](.*)'$/.exec(flag('Implicit/static pattern stem: ') ?? '')?.[1],
    },
  ];
}

/** `.WAIT` stands between prerequisites and is none. */
const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '' && word !== '.WAIT');

/** Make prints the rules of double-colon targets in their order. */
const together = (one: Target, other: Target): Target => ({
  ...one,
  prerequisites: [...new Set([...one.prerequisites, ...other.prerequisites])],
  orderOnly: [...new Set([...one.orderOnly, ...other.orderOnly])],
  recipe: [...one.recipe, ...other.recipe],
  hasWait: one.hasWait || other.hasWait,
  privates: [...one.privates, ...other.privates],
});
