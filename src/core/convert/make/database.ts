/** What make knows of a target. */
export interface Target {
  readonly prerequisites: readonly string[];
  /** Those behind `|`: they are made before, and do not make the target out of date. */
  readonly orderOnly: readonly string[];
  readonly isPhony: boolean;
  readonly exists: boolean;
  /** The recipe as it stands in the makefile, a line each, without continuations being joined. */
  readonly recipe: readonly string[];
  /** Targets that the same recipe makes. */
  readonly alsoMakes: readonly string[];
  readonly file: string | undefined;
  readonly line: number | undefined;
}

/**
 * Reads the section `# Files` of the data base that `make -p` prints: every target with its prerequisites, also those that
 * make found by pattern rules, and its flags.
 *
 * Targets of double-colon rules appear once for each rule; they are put together.
 */
export function readDatabase(text: string): ReadonlyMap<string, Target> {
  const start = /^# Files$/m.exec(text)?.index ?? text.length;
  const end = /^# files hash-table stats:/m.exec(text)?.index ?? text.length;
  const targets = new Map<string, Target>();
  for (const block of text.slice(start, end).split('\n\n')) {
    const found = targetOf(block);
    if (found === undefined) continue;
    const [name, target] = found;
    const other = targets.get(name);
    targets.set(name, other === undefined ? target : together(other, target));
  }
  return withBlanks(targets);
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

function targetOf(block: string): [string, Target] | undefined {
  const lines = block.split('\n').filter((line) => line !== '# Not a target:');
  const head = lines.find((line) => !line.startsWith('#') && !line.startsWith('\t'));
  const [, name, double, rest = ''] = /^(\S.*?):(:?)(?:\s(.*))?$/.exec(head ?? '') ?? [];
  if (name === undefined || double === undefined) return undefined;
  const [normal = '', orderOnly = ''] = rest.split(/(?:^|\s)\|(?:\s|$)/);
  const flag = (text: string) => lines.find((line) => line.startsWith(`#  ${text}`));
  const [, file, line] = /\(from '(.+)', line (\d+)\)/.exec(flag('recipe to execute') ?? '') ?? [];
  return [
    name,
    {
      prerequisites: wordsOf(normal),
      orderOnly: wordsOf(orderOnly),
      isPhony: flag('Phony target') !== undefined,
      exists: flag('File does not exist') === undefined,
      recipe: lines.filter((each) => each.startsWith('\t')).map((each) => each.slice(1)),
      alsoMakes: wordsOf(/^#  Also makes: ?(.*)$/.exec(flag('Also makes') ?? '')?.[1] ?? ''),
      file,
      line: line === undefined ? undefined : Number(line),
    },
  ];
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

const together = (one: Target, other: Target): Target => ({
  ...one,
  prerequisites: [...new Set([...one.prerequisites, ...other.prerequisites])],
  orderOnly: [...new Set([...one.orderOnly, ...other.orderOnly])],
  recipe: [...one.recipe, ...other.recipe],
});
