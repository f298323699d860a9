import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { expect, it, test } from 'vitest';

/**
 * The checklists of CONTRIBUTING name the files that a new thing changes. Each is compared with a thing of this kind that is there: the
 * files that name it, written by hand, are those of the checklist, and those where it does what it is there for.
 */

const root = resolve(import.meta.dirname, '../..');
const contributing = readFileSync(resolve(root, 'CONTRIBUTING.md'), 'utf8');
const sources = ['src/**/*.ts', 'migrations/*.sql', 'tests/fakes/*.ts', 'tests/e2e/*.ts', 'docs/explanation/*.md']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .filter((path) => !path.endsWith('.gen.ts') && (!path.endsWith('.test.ts') || path.startsWith('tests/')))
  .map((path) => ({ path, text: readFileSync(resolve(root, path), 'utf8') }));

interface Trial {
  /** The beginning of the checklist. */
  readonly item: string;
  /** The names of the example, as they stand in texts or paths. */
  readonly example: RegExp;
  /** Files that a new one would not change: they use this one. */
  readonly uses: readonly string[];
  /** The part of the repository in which it is looked for. */
  readonly within: RegExp;
}

const TRIALS: readonly Trial[] = [
  {
    item: 'a route',
    example: /\b(?:listSharedWorkflows|shared_workflows|shared_with)\b/i,
    within: /^src\/(?:core\/contract|server)\//,
    uses: [],
  },
  {
    item: 'a command',
    example: /\bgatherReport\b|\breport\/report\.ts\b/,
    within: /^src\/(?:cli|operations)\//,
    uses: [],
  },
  {
    item: 'a question to the batch system',
    example: /\bmostTasks\b/,
    within: /^(?:src\/cluster|tests\/fakes|docs)\//,
    uses: [],
  },
  {
    item: 'a field of samples',
    example: /\bin_container\b/,
    within: /^(?:src|migrations)\//,
    uses: ['src/telemetry/produce/sample/records.ts', 'src/telemetry/produce/sample/filters.ts'],
  },
  {
    item: 'a refusal',
    example: /\bBODY_TOO_LARGE\b/,
    within: /^src\/(?:core|server)\//,
    uses: ['src/server/http/body.ts', 'src/server/http/parse-in-slices.ts'],
  },
  {
    item: 'a field of a job',
    example: /\bsupports_?[tT]ermination\b/,
    within: /^(?:src|migrations)\//,
    // Its migration has a number of its own.
    uses: ['migrations/0001_jobs.sql', 'src/core/workflow-file/shape/job.ts'],
  },
  {
    item: 'a status of jobs',
    example: /'terminated'|\bterminated: '/,
    within: /^src\/(?:core\/job|tui|page)\//,
    uses: [],
  },
  {
    item: 'a cause of ends',
    example: /\bstale_output\b/,
    within: /^(?:src\/core\/(?:attempt|contract)|tests\/e2e\/one)/,
    uses: ['src/core/attempt/cause-fields.ts'],
  },
];

/** What stands in backquotes in a checklist and is a path in `src`, in the repository, or the name of a file. */
function filesIn(item: string): readonly string[] {
  const text = new RegExp(`^- _${item}_: (.*(?:\\n {2}.*)*)`, 'm').exec(contributing)?.[1] ?? '';
  return (
    [...text.matchAll(/`([\w./-]+)`/g)]
      .map(([, token = '']) => token)
      // A test that goes through all of its kind names none.
      .filter((token) => !token.endsWith('.test.ts') || token.startsWith('tests/e2e/'))
      .filter(
        (token) => token.endsWith('.ts') || existsSync(resolve(root, 'src', token)) || existsSync(resolve(root, token)),
      )
  );
}

const isOf = (token: string, path: string): boolean =>
  token.includes('/') || !token.endsWith('.ts')
    ? [`src/${token}`, token].some((each) => path === each || path.startsWith(`${each.replace(/\/$/, '')}/`))
    : basename(path) === token;

const namersOf = ({ example, within }: Trial) =>
  sources
    .filter(({ path, text }) => within.test(path) && (example.test(text) || example.test(path)))
    .map(({ path }) => path);

test.each(TRIALS)('$item changes the files of its checklist in CONTRIBUTING, and no others', (trial) => {
  const tokens = filesIn(trial.item);
  const namers = namersOf(trial);
  expect(tokens.length, trial.item).toBeGreaterThan(0);
  expect(tokens.filter((token) => !namers.some((path) => isOf(token, path)))).toEqual([]);
  const others = namers.filter((path) => !tokens.some((token) => isOf(token, path)));
  expect(others.toSorted()).toEqual(trial.uses.toSorted());
});

it('each checklist has an example, but for those of files that only stand together', () => {
  const items = [...contributing.matchAll(/^- _([^_]+)_: /gm)].map(([, item = '']) => item);
  const without = items.filter((item) => !TRIALS.some((trial) => trial.item === item));
  expect(without).toEqual([
    'a migration',
    'another field of workflow files',
    'an answer of a program in the field',
    'a question to a program',
  ]);
});

it('a file of a checklist may be named by its end, and a folder by its path', () => {
  expect(filesIn('a refusal')).toEqual(['core/contract/refusals.ts']);
  expect(isOf('judge.ts', 'src/core/attempt/judge.ts')).toBe(true);
  expect(isOf('core/contract/routes/', 'src/core/contract/routes/access.ts')).toBe(true);
  expect(isOf('core/contract/routes/', 'src/core/contract/access.ts')).toBe(false);
  expect(isOf('migrations', 'src/telemetry/store/postgres/migrations.ts')).toBe(false);
});
