/** What stands in a Snakefile of a rule: what a dry run does not print. */
export interface WrittenRule {
  readonly file: string;
  readonly line: number;
  /** The names of its directives: `shell`, `conda`, `run`. */
  readonly directives: ReadonlyMap<string, number>;
  /** Functions around its files: `temp`, `touch`. */
  readonly flags: ReadonlySet<string>;
  /** All of its lines, behind those of the rule that it uses. */
  readonly text: string;
}

export interface Snakefile {
  readonly path: string;
  readonly text: string;
}

const HEAD = /^(\s*)(?:(?:rule|checkpoint)|use\s+rule\s+(\w+)\s+as)\s+(\w+)(?:\s+with)?\s*:/;

interface Draft extends WrittenRule {
  readonly directives: Map<string, number>;
  readonly flags: Set<string>;
  text: string;
}

/** The rules of Snakefiles by name. Only names that are written are found, none that a program makes. */
export function readRules(files: readonly Snakefile[]): ReadonlyMap<string, WrittenRule> {
  const rules = new Map<string, WrittenRule>();
  for (const { path, text } of files) {
    let rule: (Draft & { readonly indent: number }) | undefined;
    for (const [at, line] of text.split(/\r?\n/).entries()) {
      const [, indent = '', base, name] = HEAD.exec(line) ?? [];
      if (name !== undefined) {
        // A rule that uses another one has its directives, too.
        const other = base === undefined ? undefined : rules.get(base);
        rule = {
          file: path,
          line: at + 1,
          indent: indent.length,
          directives: new Map(other?.directives),
          flags: new Set(other?.flags),
          text: other?.text ?? '',
        };
        rules.set(name, rule);
      } else if (rule !== undefined && line.trim() !== '') {
        const depth = /^\s*/.exec(line)?.[0].length ?? 0;
        if (depth <= rule.indent && !/^\s*#/.test(line)) rule = undefined;
        else readLine(line, at + 1, rule);
      }
    }
  }
  return rules;
}

function readLine(line: string, number: number, rule: Draft): void {
  rule.text += `${line}\n`;
  const [, directive] = /^\s+([a-z_]+)\s*:(?!:)/.exec(line) ?? [];
  if (directive !== undefined && !rule.directives.has(directive)) rule.directives.set(directive, number);
  for (const [, flag = ''] of line.matchAll(FLAG)) rule.flags.add(flag);
}

const FLAG = /\b(temp|temporary|protected|touch|pipe|service|directory|update)\(/g;

/** The number behind a directive, in its line or in the next one; undefined for anything else, and without the directive. */
export function numberBehind(rule: WrittenRule | undefined, directive: string): number | undefined {
  const found = [...(rule?.text ?? '').matchAll(new RegExp(`^\\s+${directive}\\s*:\\s*(.*)`, 'gm'))];
  const [, number] = /^(\d+)\s*(?:#.*)?$/.exec(found.at(-1)?.[1] ?? '') ?? [];
  return number === undefined ? undefined : Number(number);
}

/** A function of a resource may have the parameter `attempt`. */
export const hasAttempt = (text: string): boolean => /\battempt\b/.test(text.replaceAll(/#.*$/gm, ''));

/** The paths of literal `include:` lines, and the lines of those that a program makes. */
export function includesOf({ text }: Snakefile): {
  readonly paths: readonly string[];
  readonly unread: readonly number[];
} {
  const paths: string[] = [];
  const unread: number[] = [];
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const [, literal] = /^\s*include\s*:\s*["']([^"'{}]+)["']\s*(?:#.*)?$/.exec(line) ?? [];
    if (literal !== undefined) paths.push(literal);
    else if (/^\s*(?:include|module\s+\w+)\s*:/.test(line)) unread.push(at + 1);
  }
  return { paths, unread };
}
