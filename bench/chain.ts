/**
 * How soon does a job start after the one that it waits for?
 *
 * `node bench/chain.ts [jobs] [rounds]`: a chain of 1,000 `true`, each of which depends on the one before. Beside it
 * `xargs -P1`, which starts the same commands one after another without asking anybody. Fewer jobs or rounds are a first look,
 * and are compared with no goal.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { commandsOf, machine, startServer, timed } from './support/processes.ts';

const { jobs, rounds } = argumentsOf({ jobs: 1_000, rounds: 3 });
const folder = layOutPackage();
// A first look with few jobs, on a machine that does other things, is no measurement: its figures are not judged.
const isMeasurement = jobs >= 1_000 && rounds >= 3;
const { note, print } = createFigures({ judges: isMeasurement });

interface Result {
  job_id: number;
  completion_time: string;
  exec_time_minutes: number;
}

const spec = [
  'name: chain',
  'jobs:',
  ...Array.from(
    { length: jobs },
    (_, index) => `  - {name: j${index}, command: "true"${index === 0 ? '' : `, depends_on: [j${index - 1}]`}}`,
  ),
];

console.log(`a chain of ${jobs} × true; ${machine()}`);
for (let round = 1; round <= rounds; round += 1) {
  console.log(`round ${round}`);
  const cwd = workplace('chain');
  writeFileSync(join(cwd, 'chain.yaml'), `${spec.join('\n')}\n`);
  const server = await startServer(folder, cwd);
  const run = commandsOf(folder, cwd, server.url);
  await run('create', 'chain.yaml');
  await run('workflows', 'init', '1', '--no-prompts');
  await run('run', '1', '--num-cpus', '2');
  const { stdout } = await run('-f', 'json', 'results', 'list', '1');
  await server.stop();
  const floor = await timed('bash', ['-c', `seq ${jobs} | xargs -P1 -n1 bash -c true`], { cwd });

  const results = (JSON.parse(stdout) as { items: Result[] }).items.sort((left, right) => left.job_id - right.job_id);
  if (results.length !== jobs) throw new Error(`${results.length} results of ${jobs} jobs`);
  const ends = results.map(({ completion_time: time }) => Date.parse(time));
  const starts = results.map(({ exec_time_minutes: minutes }, index) => (ends[index] as number) - minutes * 60_000);
  const gaps = starts.slice(1).map((start, index) => start - (ends[index] as number));
  gaps.sort((left, right) => left - right);
  note(
    'end of a job to start of the next, p50',
    gaps[Math.floor(gaps.length / 2)] as number,
    'ms (times have 1 ms steps)',
    { atMost: 0.5 },
  );
  note('the same, p99', gaps[Math.floor(gaps.length * 0.99)] as number, 'ms');
  const chainSeconds = ((ends.at(-1) as number) - (starts[0] as number)) / 1000;
  note('the chain, first start to last end', chainSeconds, 's');
  note('xargs -P1', floor.seconds, 's');
  note('the chain, of xargs -P1', chainSeconds / floor.seconds, 'times', { atMost: 1.3 });
}
print();
