/**
 * What does one look at the processes of a machine cost?
 *
 * `node bench/monitor.ts [processes] [rounds]`: the sample of a runner that watches a job of 1,000 processes, beside
 * `ps -eo pid,ppid,pgid,rss,time`, both over the same table. CPU time, not time on the clock: a runner shares the machine
 * with its jobs. The library `systeminformation` is left out: it is none of our dependencies.
 */
import { spawn } from 'node:child_process';
import { createFamilies } from '../src/cluster/host/families.ts';
import { createFigures } from './support/figures.ts';
import { machine, timed } from './support/processes.ts';

const processes = Number(process.argv[2] ?? 1_000);
const rounds = Number(process.argv[3] ?? 5);
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
  // The first look knows nobody yet.
  const found = families.look(new Set([root])).get(root)?.members.length ?? 0;
  if (found <= processes) throw new Error(`only ${found} of ${processes + 1} processes of the job were found`);
  for (let round = 1; round <= rounds; round += 1) {
    console.log(`round ${round}`);
    const before = process.cpuUsage();
    for (let look = 0; look < LOOKS; look += 1) families.look(new Set([root]));
    const { user, system } = process.cpuUsage(before);
    const ours = (((user + system) / 1000 / LOOKS) * 1000) / processes;

    // Children that a shell waited for, as its own shell says it: ps ends before anybody could look at it.
    const script = `for i in $(seq ${LOOKS}); do ps -eo pid,ppid,pgid,rss,time >/dev/null; done; times`;
    const { stdout } = await timed('bash', ['-c', script], { cwd: '/' });
    const [, children = ''] = stdout.trim().split('\n');
    const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
    const ps = ((seconds.reduce((sum, each) => sum + each, 0) * 1000) / LOOKS / processes) * 1000;

    note('a look, for 1,000 processes', ours, 'ms', { atMost: 10 });
    note('ps -eo pid,ppid,pgid,rss,time', ps, 'ms');
    note('ours, of ps', ours / ps, '', { atMost: 1 });
  }
} finally {
  process.kill(-root, 'SIGKILL');
}
print();
