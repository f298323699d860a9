/**
 * What does one look at the processes of a machine cost?
 *
 * `node bench/monitor.ts [processes] [rounds]`: the sample of a runner that watches a job of 1,000 processes, beside
 * `ps -eo pid,ppid,pgid,rss,time` and the library `systeminformation`, all over the same table. CPU time, not time on the
 * clock: a runner shares the machine with its jobs.
 */
import { spawn } from 'node:child_process';
import { createFamilies } from '../src/cluster/host/families.ts';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { machine, timed } from './support/processes.ts';

const { processes, rounds } = argumentsOf({ processes: 1_000, rounds: 5 });
/** One look is shorter than the clock of the kernel ticks, so many are timed together. */
const LOOKS = 50;

const { note, print } = createFigures();
const job = spawn('bash', ['-c', `for i in $(seq ${processes}); do sleep 600 & done; echo ready; wait`], {
  stdio: ['ignore', 'pipe', 'inherit'],
  detached: true,
});
await new Promise((ready) => job.stdout.once('data', ready));
const root = job.pid as number;
const families = createFamilies({ sinceTicks: 0, ownerBy: () => undefined });

console.log(`${processes} processes; ${machine()}`);
try {
  // The first reading knows no process yet.
  const found = families.look(new Set([root])).get(root)?.members.length ?? 0;
  if (found <= processes) throw new Error(`only ${found} of ${processes + 1} processes of the job were found`);
  for (let round = 1; round <= rounds; round += 1) {
    console.log(`round ${round}`);
    const before = process.cpuUsage();
    for (let look = 0; look < LOOKS; look += 1) families.look(new Set([root]));
    const { user, system } = process.cpuUsage(before);
    const ours = (((user + system) / 1000 / LOOKS) * 1000) / processes;

    const perLook = (seconds: number) => ((seconds * 1000) / LOOKS / processes) * 1000;
    const ps = perLook(
      await childSeconds(`for i in $(seq ${LOOKS}); do ps -eo pid,ppid,pgid,rss,time >/dev/null; done`),
    );
    const library = perLook((await librarySeconds(LOOKS)) - (await librarySeconds(0)));

    note('a look, for 1,000 processes', ours, 'ms', { atMost: 10 });
    note('ps -eo pid,ppid,pgid,rss,time', ps, 'ms');
    note('systeminformation, processes()', library, 'ms');
    note('ours, of ps', ours / ps, '', { atMost: 1 });
    note('ours, of systeminformation', ours / library, '', { atMost: 1 });
  }
} finally {
  process.kill(-root, 'SIGKILL');
}
print();

/** CPU seconds of what a script ran, as its shell says it: programs end before anybody could look at them. */
async function childSeconds(script: string): Promise<number> {
  const { stdout } = await timed('bash', ['-c', `${script}; times`], { cwd: '/' });
  const [, children = ''] = stdout.trim().split('\n');
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
  return seconds.reduce((sum, each) => sum + each, 0);
}

/** The library runs `ps` and reads its answer, so its children count too. */
function librarySeconds(looks: number): Promise<number> {
  const library = import.meta.resolve('systeminformation');
  const program = `const { processes } = (await import('${library}')).default; for (let i = 0; i < ${looks}; i += 1) await processes()`;
  return childSeconds(`'${process.execPath}' --input-type=module -e "${program}"`);
}
