/**
 * How long does a command take before it does anything?
 *
 * `node bench/start-up.ts [rounds]`: `torc --version` and `torc jobs list` of the package, beside the runtime's own start.
 */
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { machine, startServer, timed } from './support/processes.ts';

const { rounds } = argumentsOf({ rounds: 20 });
const folder = layOutPackage();
const cwd = workplace('start-up');
const torc = join(folder, 'bin/torc.mjs');
const { note, print } = createFigures();

const server = await startServer(folder, cwd);
const env = { ...process.env, TORC_API_URL: server.url };
const milliseconds = async (...args: string[]) => {
  const ran = await timed(process.execPath, args, { cwd, env });
  if (ran.code !== 0) throw new Error(ran.stderr);
  return ran.seconds * 1000;
};
writeFileSync(
  join(cwd, 'flow.yaml'),
  'name: flow\njobs: [{name: "j{i}", command: "true", parameters: {i: "1:100"}}]\n',
);
await milliseconds(torc, 'create', 'flow.yaml');

/** What the server itself takes for the list. */
const served = () =>
  new Promise<number>((resolve, reject) => {
    const asked = performance.now();
    request(`${server.url}/jobs?workflow_id=1&limit=100`, (response) => {
      response.resume().on('end', () => resolve(performance.now() - asked));
    })
      .on('error', reject)
      .end();
  });

console.log(machine());
await milliseconds(torc, '--version');
for (let round = 1; round <= rounds; round += 1) {
  console.log(`round ${round}`);
  note('node -e 0', await milliseconds('-e', '0'), 'ms');
  note('torc --version', await milliseconds(torc, '--version'), 'ms', { atMost: 60 });
  const server = await served();
  note('the server for a list of 100 jobs', server, 'ms');
  note('torc jobs list, beyond the server', (await milliseconds(torc, 'jobs', 'list', '1')) - server, 'ms', {
    atMost: 120,
  });
}
await server.stop();
print();
