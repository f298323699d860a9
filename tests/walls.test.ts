import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from './support/programs.ts';

/** A guard that sleeps is worse than none: each wall is shown an offence, in one copy of the house, and must refuse it. */

const root = resolve(import.meta.dirname, '..');

let copy: string;
beforeAll(async () => {
  copy = temporaryFolder();
  const configurations = 'tsconfig.json tsconfig.base.json .oxlintrc.json .dependency-cruiser.cjs package.json';
  const entries = ['src', 'tests', 'scripts', ...configurations.split(' ')];
  await run('cp', ['--archive', ...entries, copy], { cwd: root });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  mkdirSync(join(copy, '.build'));
  if (existsSync(join(root, '.build/src')))
    await run('cp', ['--archive', '.build/src', join(copy, '.build')], { cwd: root });
  for (const name of globSync('.build/**/*.tsbuildinfo', { cwd: copy })) pointToLibraries(join(copy, name));
  await run(tool('tsc'), [...TSC, ...rooms], { cwd: copy }).catch((error: { readonly stdout: string }) => {
    throw new Error(error.stdout, { cause: error });
  });
});

/**
 * What the compiler knows of files that did not change, where it ran before the tests, holds in the copy too if libraries have
 * their paths: through the link, they are those of the checkout. Otherwise it looks at each room anew, for 17 s.
 */
function pointToLibraries(path: string): void {
  const libraries = relative(dirname(path), join(root, 'node_modules'));
  const known = readFileSync(path, 'utf8');
  writeFileSync(path, known.replaceAll(/"(?:\.\.\/)+node_modules\//g, `"${libraries}/`));
}

const run = promisify(execFile);
/** As `npm run types`: several checkers look at the same types, each for itself, and take half as much CPU time again. */
const TSC = ['-b', '--checkers', '1'];
const tool = (name: string) => join(root, 'node_modules/.bin', name);

/** What a tool says of a house with these offences, which are gone afterwards. */
async function refusalOf(offences: Readonly<Record<string, string>>, name: string, ...args: readonly string[]) {
  const paths = Object.keys(offences).map((path) => join(copy, path));
  Object.values(offences).forEach((text, index) => writeFileSync(paths[index] as string, text));
  try {
    const { stdout } = await run(tool(name), args, { cwd: copy, maxBuffer: 2 ** 26 });
    return `PASSED\n${stdout}`;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return stdout + stderr;
  } finally {
    for (const path of paths) rmSync(path);
  }
}

const cruised: Readonly<Record<string, readonly [path: string, text: string]>> = {
  'no-circles': ['src/core/quantity/one.ts', "import { two } from './two.ts';\nexport const one = () => two;\n"],
  'everything-resolves': [
    'src/core/quantity/lost.ts',
    "import { nothing } from './nowhere.ts';\nexport const lost = nothing;\n",
  ],
  'slices-stand-apart': [
    'src/server/act/peeks.ts',
    "import { roomOf } from '../claim/room.ts';\nexport const peeks = roomOf;\n",
  ],
  'records-know-no-module': [
    'src/server/records/knows.ts',
    "import { roomOf } from '../claim/room.ts';\nexport const knows = roomOf;\n",
  ],
  'the-store-knows-no-record': [
    'src/server/store/learns.ts',
    "import { jobOf } from '../records/rows/job.ts';\nexport const learns = jobOf;\n",
  ],
  'sql-stands-in-queries': [
    'src/server/claim/sneaks.ts',
    "import { openDatabase } from '../store/database.ts';\nexport const sneaks = openDatabase;\n",
  ],
  'telemetry-has-a-store-of-its-own': [
    'src/telemetry/receive/borrows.ts',
    "import { roomOf } from '../../server/claim/room.ts';\nexport const borrows = roomOf;\n",
  ],
  'sql-of-telemetry-stands-in-its-store': [
    'src/telemetry/receive/selects.ts',
    "import { DatabaseSync } from 'node:sqlite';\nexport const selects = DatabaseSync;\n",
  ],
  'one-room-knows-postgresql': [
    'src/telemetry/questions/connects.ts',
    "import pg from 'pg';\nexport const connects = pg;\n",
  ],
  'a-store-asks-no-question': [
    'src/telemetry/store/asks.ts',
    "import { queueOf } from '../questions/queue.ts';\nexport const asks = queueOf;\n",
  ],
  'no-server-code-on-a-compute-node': [
    'src/runner/cheats.ts',
    "import { serve } from '../server/serve.ts';\nexport const cheats = serve;\n",
  ],
  'a-page-can-use-the-client': [
    'src/client/connects.ts',
    "import { connect } from './node/connect.ts';\nexport const connects = connect;\n",
  ],
  'the-page-stands-on-core-and-client': [
    'src/page/asks.ts',
    "import { lastLines } from '../operations/output/last-lines.ts';\nexport const asks = lastLines;\n",
  ],
  'operations-know-no-command-line': [
    'src/operations/listens.ts',
    "import { Failure } from '../cli/command/failure.ts';\nexport const listens = Failure;\n",
  ],
  'agents-are-served-by-one-program': [
    'src/operations/serves.ts',
    "import { McpServer } from '@modelcontextprotocol/server';\nexport const serves = McpServer;\n",
  ],
  'one-command-loads-the-terminal-view': [
    'src/cli/presses.ts',
    "import { keysOf } from '../tui/keys.ts';\nexport const presses = keysOf;\n",
  ],
  'a-command-knows-no-other': [
    'src/cli/commands/ping-twice.ts',
    "import { ping } from './ping.ts';\nexport const pingTwice = [ping, ping];\n",
  ],
  'only-the-program-knows-the-commands': [
    'src/cli/choose/commands.ts',
    "import { ping } from '../commands/ping.ts';\nexport const choices = [ping];\n",
  ],
  'few-commands-load-the-server': [
    'src/cli/commands/serves.ts',
    "import { serve } from '../../server/serve.ts';\nexport const serves = serve;\n",
  ],
  'few-commands-load-the-runner': [
    'src/cli/commands/runs.ts',
    "import { aheadOf } from '../../runner/facts/pace.ts';\nexport const runs = aheadOf;\n",
  ],
  'few-commands-load-telemetry': [
    'src/cli/commands/samples-twice.ts',
    "import { asPlainData } from '../../telemetry/answers.ts';\nexport const samplesTwice = asPlainData;\n",
  ],
  'nothing-below-operations-uses-them': [
    'src/runner/climbs.ts',
    "import { gatherPlanFacts } from '../operations/update/plan-facts.ts';\nexport const climbs = gatherPlanFacts;\n",
  ],
  'batch-systems-open-at-one-door': [
    'src/operations/opens.ts',
    "import { slurm } from '../cluster/slurm/slurm.ts';\nexport const opens = slurm;\n",
  ],
  'processes-start-at-three-doors': [
    'src/runner/spawns.ts',
    "import { spawn } from 'node:child_process';\nexport const spawns = spawn;\n",
  ],
  'a-step-is-known-by-its-id': [
    'src/runner/launches.ts',
    "import { createLauncher } from './launch/choose.ts';\nexport const launches = createLauncher;\n",
  ],
  'product-knows-no-test': [
    'src/cli/tested.ts',
    "import { random } from '../../tests/support/random.ts';\nexport const tested = random;\n",
  ],
};

it('every wall between files refuses what breaks it', async () => {
  const circle = { 'src/core/quantity/two.ts': "import { one } from './one.ts';\nexport const two = () => one;\n" };
  const offences = { ...Object.fromEntries(Object.values(cruised)), ...circle };
  const words = ['src', '--config', '.dependency-cruiser.cjs', '--output-type', 'err-long'];
  const said = await refusalOf(offences, 'depcruise', ...words);
  const caught = Object.entries(cruised).filter(([wall, [path]]) =>
    said.split('\n').some((line) => line.includes(wall) && line.includes(path)),
  );
  expect(
    caught.map(([wall]) => wall),
    said,
  ).toEqual(Object.keys(cruised));
});

/** A file in a folder, and what needs that folder: the file imports it. */
const rising: Readonly<Record<string, string>> = {
  'src/core/quantity/rises.ts': 'src/core/lifecycle/placement/obstacles.ts',
  'src/core/workflow-file/text/rises.ts': 'src/core/workflow-file/read/read.ts',
  'src/operations/submit/rises.ts': 'src/operations/run/run-here.ts',
  'src/cli/output/rises.ts': 'src/cli/command/context.ts',
  'src/server/records/edges/rises.ts': 'src/server/records/deletion/deletion.ts',
  'src/runner/facts/rises.ts': 'src/runner/claim/open-jobs.ts',
  'src/telemetry/store/rows/rises.ts': 'src/telemetry/store/sqlite/database.ts',
};

it('folders and files that need each other are refused in each room, and those that have an order pass', async () => {
  const offences = Object.entries(rising).map(([path, above]) => [
    path,
    `import * as above from '${relative(dirname(path), above)}';\nexport const rises = above;\n`,
  ]);
  const said = await refusalOf(Object.fromEntries(offences), 'node', 'scripts/order.ts');
  const caught = Object.entries(rising).filter(([path, above]) => said.includes(`${path} imports ${above}`));
  expect(
    caught.map(([path]) => path),
    said,
  ).toEqual(Object.keys(rising));
  expect(await refusalOf({}, 'node', 'scripts/order.ts')).toMatch(/^PASSED/);
});

const purity: Readonly<Record<string, readonly [path: string, text: string, refusal: RegExp]>> = {
  'core reads no file': [
    'src/core/quantity/reads.ts',
    "import { readFileSync } from 'node:fs';\nexport const reads = readFileSync;\n",
    /reads\.ts.*node:fs/,
  ],
  'core asks no process': ['src/core/quantity/asks.ts', 'export const asks = process.pid;\n', /asks\.ts.*'process'/],
  'core prints nothing': [
    'src/core/quantity/prints.ts',
    "export const prints = () => console.log('x');\n",
    /prints\.ts.*'console'/,
  ],
  'a converter reads no file': [
    'src/convert/cwl/reads.ts',
    "import { readFileSync } from 'node:fs';\nexport const reads = readFileSync;\n",
    /reads\.ts.*node:fs/,
  ],
  'core knows no converter': [
    'src/core/quantity/converts.ts',
    "import { noteText } from '../../convert/conversion.ts';\nexport const converts = noteText;\n",
    /TS6307.*conversion\.ts|conversion\.ts.*TS6307/,
  ],
  'the plan of allocations asks no process': [
    'src/hpc/asks.ts',
    'export const asks = process.pid;\n',
    /asks\.ts.*'process'/,
  ],
  'the client runs in a page too': [
    'src/client/disk.ts',
    "import { readFileSync } from 'node:fs';\nexport const disk = readFileSync;\n",
    /disk\.ts.*node:fs/,
  ],
  'the part of the client for pages knows no connection of Node.js': [
    'src/client/reaches.ts',
    "import { connect } from './node/connect.ts';\nexport const reaches = connect;\n",
    /TS6307.*connect\.ts|connect\.ts.*TS6307/,
  ],
  'the server does not know the runner': [
    'src/server/claim/knows.ts',
    "import { aheadOf } from '../../runner/facts/pace.ts';\nexport const knows = aheadOf;\n",
    /TS6307.*pace\.ts|pace\.ts.*TS6307/,
  ],
  'a use case does not know the command line': [
    'src/operations/hears.ts',
    "import { Failure } from '../cli/command/failure.ts';\nexport const hears = Failure;\n",
    /TS6307.*failure\.ts|failure\.ts.*TS6307/,
  ],
  'a route without a handler does not compile': [
    'src/server/http/lacks.ts',
    "import type { Handlers } from '../handlers.ts';\nexport const lacks: Handlers = { ping: () => ({ status: 'x' }) };\n",
    /lacks\.ts.*Handlers/,
  ],
};

const rooms = [...new Set(Object.values(purity).map(([path]) => path.split('/').slice(0, 2).join('/')))];

// Room by room: one that does not compile hides what stands on it, and the compiler looks again at what changed alone.
it.each(rooms)('types refuse each offence in %s by name', async (room) => {
  const here = Object.entries(purity).filter(([, [path]]) => path.startsWith(`${room}/`));
  const offences = Object.fromEntries(here.map(([, [path, text]]) => [path, text]));
  const said = await refusalOf(offences, 'tsc', ...TSC, room);
  for (const [wall, [, , refusal]] of here) expect(said, wall).toMatch(refusal);
});

it('the linter refuses a clock and a lost promise', async () => {
  const offences = {
    'src/core/quantity/late.ts': 'export const late = () => Date.now();\n',
    'src/core/quantity/luck.ts': 'export const luck = () => Math.random();\n',
    'src/hpc/late.ts': 'export const late = () => performance.now();\n',
    'src/runner/loses.ts': 'export function loses(): void {\n  Promise.resolve(1);\n}\n',
    'src/operations/prints.ts': "export const prints = () => process.stdout.write('x');\n",
    'src/runner/talks.ts': "export const talks = () => console.log('x');\n",
  };
  const said = await refusalOf(offences, 'oxlint', '--type-aware', ...Object.keys(offences));
  for (const words of [
    'core takes now as an argument',
    'core takes randomness as an argument',
    'a use case gives values, and prints nothing',
    'no-floating-promises',
    'no-console',
    'src/hpc/late.ts',
  ]) {
    expect(said).toContain(words);
  }
});

it('no test names a path as missing that a machine may have: a fresh temporary folder has none', () => {
  const name = ['', 'nonexistent'].join('/');
  const files = globSync(['vitest.config.ts', 'src/**/*.test.ts', 'tests/**/*.ts'], { cwd: root });
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => readFileSync(join(root, file), 'utf8').includes(name))).toEqual([]);
});
