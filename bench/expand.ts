/**
 * How long do large sweeps take to check, create and initialize, and how much memory?
 *
 * `node bench/expand.ts`: a sweep of 1,000 × 1,000 jobs, and one of 100,000.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argumentsOf } from './support/arguments.ts';
import { createFigures, type Goal } from './support/figures.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { commandsOf, machine, startServer } from './support/processes.ts';

argumentsOf({});
const folder = layOutPackage();
const { note, print } = createFigures();

interface Goals {
  readonly check?: Goal;
  readonly create: Goal;
  readonly initialize?: Goal;
}

async function measure(outer: number, inner: number, goals: Goals) {
  const jobs = outer * inner;
  const tag = jobs.toLocaleString('en-US');
  const cwd = workplace('expand');
  writeFileSync(
    join(cwd, 'sweep.yaml'),
    `name: sweep\njobs: [{name: "j_{a}_{b}", command: "true {a} {b}", parameters: {a: "1:${outer}", b: "1:${inner}"}}]\n`,
  );
  const server = await startServer(folder, cwd);
  const run = commandsOf(folder, cwd, server.url);
  const checked = await run('-f', 'json', 'create', '--dry-run', 'sweep.yaml');
  note(`${tag} jobs: check and count`, checked.seconds, 's', goals.check);
  const created = await run('create', 'sweep.yaml');
  note(`${tag} jobs: create`, created.seconds, 's', goals.create);
  note(`${tag} jobs: create, memory of the client`, created.peakMegabytes, 'MB', { atMost: 250 });
  note(`${tag} jobs: create, memory of the server`, server.use().peakMegabytes, 'MB', { atMost: 300 });
  const initialized = await run('workflows', 'init', '1', '--no-prompts');
  note(`${tag} jobs: initialize`, initialized.seconds, 's', goals.initialize);
  note(`${tag} jobs: initialize, memory of the server`, server.use().peakMegabytes, 'MB', { atMost: 300 });
  await server.stop();
}

console.log(machine());
await measure(1_000, 1_000, { check: { atMost: 2 }, create: { atMost: 15 } });
for (let round = 1; round <= 3; round += 1) {
  await measure(100, 1_000, { create: { atMost: 1.7 }, initialize: { atMost: 1.1 } });
}
print();
