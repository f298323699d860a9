/**
 * How long does `torc remote run` take to start runners on many hosts?
 *
 * `node bench/remote.ts [hosts] [at once]`: hosts are ssh servers on this machine, so that both ends of each connection and all
 * runners share its CPUs. So the hosts use a cheap key exchange (see tests/ssh/hosts.sh), and logins alone are measured beside it.
 * Needs root and an installed ssh server. The floor is a login on each host, the same number at once.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { layOutPackage, workplace } from './support/package.ts';
import { machine, startServer, timed } from './support/processes.ts';

const given = argumentsOf({ hosts: 100, 'at once': 10 });
const { hosts } = given;
const atOnce = String(given['at once']);
const PORT = 21_000;

const folder = layOutPackage();
const cwd = workplace('remote');
const torc = join(folder, 'bin/torc');
const script = resolve(import.meta.dirname, '../tests/ssh/hosts.sh');
const place = join(cwd, 'hosts');
const { note, print } = createFigures();
const hostsPath = [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
const control = (...args: string[]) =>
  execFileSync('/bin/bash', [script, ...args, '--dir', place], { env: { ...process.env, HOSTS_PATH: hostsPath } });

console.log(`${hosts} hosts, ${atOnce} at once; ${machine()}`);
control('up', '--workers', String(hosts), '--port', String(PORT));
try {
  const server = await startServer(folder, cwd);
  const env = {
    ...process.env,
    TORC_API_URL: server.url,
    PATH: [join(place, 'bin'), process.env['PATH']].join(delimiter),
  };
  const run = async (...args: string[]) => {
    const ran = await timed(torc, args, { cwd, env });
    if (ran.code !== 0) throw new Error(ran.stdout + ran.stderr);
    return ran.seconds;
  };
  writeFileSync(
    join(cwd, 'flow.yaml'),
    `name: many\njobs: [{name: "j{i}", command: "sleep 600", parameters: {i: "1:${hosts}"}}]\n`,
  );
  const names = Array.from({ length: hosts }, (_, index) => `worker${index + 1}`);
  writeFileSync(
    join(cwd, 'workers.txt'),
    names.map((name) => `${name} --torc ${join(folder, 'bin/torc')} --num-cpus 1 --work-dir ${cwd}\n`).join(''),
  );
  await run('create', 'flow.yaml');
  await run('workflows', 'init', '1', '--no-prompts');
  const logins = `printf '%s\\n' ${names.join(' ')} | xargs -P${atOnce} -I{} ssh {} true`;
  note('a login on each host', (await timed('bash', ['-c', logins], { cwd, env })).seconds, 's');
  note('remote run', await run('remote', 'run', 'workers.txt', '1', '--max-parallel-ssh', atOnce), 's', { atMost: 20 });
  note('remote run again', await run('remote', 'run', '1', '--max-parallel-ssh', atOnce), 's');
  note('remote status', await run('remote', 'status', '1', '--max-parallel-ssh', atOnce), 's');
  note('remote stop', await run('remote', 'stop', '1', '--max-parallel-ssh', atOnce), 's');
  await server.stop();
} finally {
  control('down', '--purge');
}
print();
