import type { Command as Commander, Help } from 'commander';
import type { Command } from '../command/command.ts';
import { kindNamed } from '../command/kinds.ts';

/** The headings under which `torc --help` lists commands, in this order. */
const headings: Readonly<Record<string, readonly string[]>> = {
  'Run workflows:': ['create', 'run', 'exec', 'import', 'submit', 'cancel', 'watch', 'recover'],
  'Look at workflows:': [
    'status',
    'top',
    'tui',
    'page',
    'jobs',
    'results',
    'events',
    'logs',
    'report',
    'compare',
    'plot-resources',
    'notify',
  ],
  'Change workflows:': [
    'workflows',
    'delete',
    'share',
    'files',
    'user-data',
    'resource-requirements',
    'failure-handlers',
    'job-dependencies',
    'ro-crate',
  ],
  'Clusters and machines:': [
    'slurm',
    'hpc',
    'remote',
    'compute-nodes',
    'scheduled-compute-nodes',
    'monitor-node',
    'sonar',
  ],
  'Server and administration:': [
    'ping',
    'tasks',
    'access-groups',
    'admin',
    'config',
    'completions',
    'add',
    'self',
    'help',
  ],
};

/** The heading of a command of `torc`, by its first word. */
export const headingOf = (word: string): string | undefined =>
  Object.keys(headings).find((heading) => headings[heading]?.includes(word));

export const wordsWithHeading = (): string[] => Object.values(headings).flat();

/** Shorter lines are not readable, and a word may be longer. */
const LEAST_WIDTH = 24;
const INDENT = 6;

/**
 * Fits help into the width of the terminal: where no room is left beside long flags, what they do stands below them.
 *
 * Commander prints such lines unbroken, and the terminal breaks them anywhere.
 */
export function fitted(program: Commander): Commander {
  return program.configureHelp({
    ...program.configureHelp(),
    minWidthToWrap: LEAST_WIDTH,
    formatItem(term: string, termWidth: number, description: string, helper: Help) {
      const width = helper.helpWidth ?? 80;
      const isNarrow = width - termWidth - 4 < Math.max(LEAST_WIDTH, width / 3);
      const column = isNarrow ? INDENT : termWidth + 4;
      const lines = helper.boxWrap(description, Math.max(LEAST_WIDTH, width - column)).split('\n');
      const below = lines.map((line) => `${' '.repeat(column)}${line}`);
      if (description === '') return `  ${term}`;
      if (isNarrow) return [`  ${term}`, ...below].join('\n');
      return [`  ${term.padEnd(termWidth + 2)}${lines[0]}`, ...below.slice(1)].join('\n');
    },
  });
}

/** One command line that works for the command: its help and the reference page show it. `help.test.ts` reads each. */
export function exampleOf(
  program: string,
  { words, isDefault, example, kinds }: Pick<Command, 'words' | 'isDefault' | 'example' | 'kinds'>,
): string {
  const [, name = words, args = ''] = /^([a-z][\w -]*?)(?:\s+([<[].*))?$/.exec(words) ?? [];
  const typed =
    example ??
    [...args.matchAll(/[<[]([\w-]+)/g)]
      .map(([, argument = '']) => kindNamed(kinds?.[argument] ?? argument).example ?? argument)
      .join(' ');
  // The only command of a program is not named.
  const spoken = isDefault === true && program !== 'torc-server' ? '' : name;
  return [program, spoken, typed].filter((part) => part !== '').join(' ');
}

/** Commands that people look for without their group. */
const elsewhere: Readonly<Record<string, string>> = {
  explain: 'jobs explain JOB',
  diagnose: 'workflows diagnose WORKFLOW',
  init: 'workflows init WORKFLOW',
  list: 'workflows list',
  output: 'jobs output JOB',
};

/** What to say behind "unknown command" where the command stands in a group. */
export function missingCommand(argv: readonly string[]): string | undefined {
  const first = argv.find((word) => Object.hasOwn(elsewhere, word)) ?? '';
  return elsewhere[first] === undefined ? undefined : `The command is torc ${elsewhere[first]}.`;
}
