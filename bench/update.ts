/**
 * How long does an update of a workflow of 100,000 jobs take that adds one sample, and how long do others wait meanwhile?
 *
 * `node bench/update.ts [jobs]`: two jobs a sample with their files, and one that reads the results of all samples. The update
 * is that of `torc run FILE --update` without the start of the program and the run. A thread of its own sends /ping every 50 ms.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '../src/client/client.ts';
import { connect } from '../src/client/node/connect.ts';
import { readSpecHere } from '../src/operations/create/create.ts';
import { readUserText } from '../src/operations/create/read-user-text.ts';
import { updateFromPlan } from '../src/operations/update/update-plan.ts';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { startPings } from './support/pings.ts';
import { commandsOf, machine, startServer } from './support/processes.ts';

const { jobs } = argumentsOf({ jobs: 100_000 });
const samples = Math.floor((jobs - 1) / 2);
const { note, print } = createFigures();
const folder = layOutPackage();
const cwd = workplace('update');

/** One sample fewer or more changes only its two jobs, their files, and the job that reads all. */
function write(name: string, count: number): string {
  const parameters = { i: `1:${count}` };
  const spec = {
    name: 'samples',
    jobs: [
      { name: 'sort_{i}', command: 'sort raw', output_files: ['sorted_{i}'], parameters },
      {
        name: 'count_{i}',
        command: 'wc sorted_{i}',
        input_files: ['sorted_{i}'],
        output_files: ['counted_{i}'],
        parameters,
      },
      { name: 'merge', command: 'cat *', input_file_regexes: ['^counted_'] },
    ],
    files: ['sorted_{i}', 'counted_{i}'].map((each) => ({ name: each, path: each, parameters })),
  };
  const path = join(cwd, name);
  writeFileSync(path, JSON.stringify(spec));
  return path;
}

console.log(machine());
const server = await startServer(folder, cwd);
const run = commandsOf(folder, cwd, server.url);
const created = await run('create', write('before.json', samples));
note(`${jobs} jobs: create, for comparison`, created.seconds, 's');
await run('workflows', 'init', '1', '--no-prompts');
const pings = await startPings(server);
const connection = connect({ url: server.url, username: 'bench' });
const client = createClient(connection.send);
for (let round = 1; round <= 3; round += 1) {
  const path = write('after.json', samples + round);
  const before = process.cpuUsage();
  const { result, seconds, cpuSeconds, longestMs, workedMs } = await pings.during(async () => {
    const reading = readSpecHere({ text: readUserText(path), name: path }, { maxJobs: undefined });
    if (reading.plan === undefined) throw new Error(reading.problems.map(({ message }) => message).join('\n'));
    return updateFromPlan(client, 1, reading.plan, { isDryRun: false });
  });
  if (result.updated.added_jobs !== 2 || result.updated.changed_jobs !== 1)
    throw new Error(JSON.stringify(result.updated));
  note(`${jobs} jobs, one sample more: update`, seconds, 's', { atMost: 3 });
  const { user, system } = process.cpuUsage(before);
  note('processor time of the command, with its pings', (user + system) / 1e6, 's');
  note('processor time of the main thread of the server', cpuSeconds, 's');
  note('the longest work of the server while a ping waits', workedMs, 'ms', { atMost: 50 });
  note('the longest wait of a ping, with what others on the machine did', longestMs, 'ms');
}
connection.close();
await pings.stop();
await server.stop();
print();
