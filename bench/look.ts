/**
 * How long does a look take at a workflow of 100,000 jobs with 100,000 files, and how long do others wait meanwhile?
 *
 * `node bench/look.ts [jobs]`: pairs of jobs with a file each, whose files are there. First all are taken as made (`torc run --touch`);
 * then an input of one pair is edited, and the planner of `torc run` finds what is out of date; then a choice of half of the jobs is
 * stored (`--only`). A thread of its own sends /ping every 50 ms. CPU is that of the command, without the server.
 */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '../src/client/client.ts';
import { connect } from '../src/client/node/connect.ts';
import { adopt } from '../src/operations/run/adopt.ts';
import { outdatedOf, runOutdated } from '../src/operations/update/update-plan.ts';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { startPings } from './support/pings.ts';
import { commandsOf, machine, startServer } from './support/processes.ts';

const { jobs } = argumentsOf({ jobs: 100_000 });
const pairs = Math.floor(jobs / 2);
const { note, print } = createFigures();
const folder = layOutPackage();
const cwd = workplace('look');
process.chdir(cwd);

const parameters = { i: `1:${pairs}` };
const path = (name: string) => `files/${name}`;
mkdirSync('files');
writeFileSync(path('raw'), '');
for (let at = 1; at <= pairs; at += 1)
  for (const name of ['sorted', 'counted']) writeFileSync(path(`${name}_${at}`), '');
writeFileSync(
  'flow.json',
  JSON.stringify({
    name: 'look',
    jobs: [
      { name: 'sort_{i}', command: 'true', input_files: ['raw'], output_files: ['sorted_{i}'], parameters },
      { name: 'count_{i}', command: 'true', input_files: ['sorted_{i}'], output_files: ['counted_{i}'], parameters },
    ],
    files: [
      { name: 'raw', path: path('raw') },
      ...['sorted_{i}', 'counted_{i}'].map((name) => ({ name, path: path(name), parameters })),
    ],
  }),
);

console.log(machine());
const server = await startServer(folder, cwd);
const run = commandsOf(folder, cwd, server.url);
await run('create', join(cwd, 'flow.json'));
await run('workflows', 'init', '1', '--no-prompts');
const pings = await startPings(server);
const connection = connect({ url: server.url, username: 'bench' });
const client = createClient(connection.send);
const workflow = async () => ({ ...(await client.getWorkflow({ params: { id: 1 } })), id: 1 });

/** Takes the time of one step, its goal in CPU seconds, and how long others waited in it. */
async function measured<Made>(what: string, step: () => Promise<Made>, atMost?: number): Promise<Made> {
  const before = process.cpuUsage();
  const { result, seconds, longestMs, workedMs } = await pings.during(step);
  const { user, system } = process.cpuUsage(before);
  note(what, seconds, 's');
  note(
    '  CPU of the command, with its pings',
    (user + system) / 1e6,
    's',
    atMost === undefined ? undefined : { atMost },
  );
  note('  longest work of the server while a ping waits', workedMs, 'ms', { atMost: 50 });
  note('  longest wait of a ping', longestMs, 'ms');
  return result;
}

await measured('take all as made', async () => adopt(client, await workflow(), { isDryRun: false, outputDir: cwd }));
const none = await measured('look, nothing is out of date', () => outdatedOf(client, 1, { force: [] }), 3);
if (none.reruns.run.length > 0)
  throw new Error(`${none.reruns.run.length} jobs are out of date, and nothing was changed`);
utimesSync(path('sorted_1'), Date.now() / 1000 + 10, Date.now() / 1000 + 10);
const one = await measured('look, one file was edited', () => outdatedOf(client, 1, { force: [] }), 3);
if (one.reruns.run.length !== 1)
  throw new Error(`${one.reruns.run.length} jobs are out of date, and one reads the edited file`);
utimesSync(path('raw'), Date.now() / 1000 + 10, Date.now() / 1000 + 10);
const all = await measured('look, every job is out of date', () => outdatedOf(client, 1, { force: [] }), 3);
if (all.reruns.run.length !== 2 * pairs)
  throw new Error(`${all.reruns.run.length} jobs are out of date, and all read the edited file`);
const half = await measured('look for a choice of half of the jobs', () =>
  outdatedOf(client, 1, { force: [], only: ['sort_*'] }),
);
await measured('store the choice', () => runOutdated(client, 1, half));
connection.close();
await pings.stop();
await server.stop();
print();
