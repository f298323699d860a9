/**
 * Takes samples of a node as the daemon does, and says what of its memory is in use: `node --expose-gc many-samples.ts
 * FOLDER COUNT…` prints a line `{"bytes":…,"files":…}` behind each COUNT of samples.
 *
 * The node is a folder with the layout of /proc. A tenth of its processes is replaced before each sample, and a tenth ran.
 */
import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_GPUS } from '../../src/cluster/gpu/gpu.ts';
import { createUserNames } from '../../src/cluster/host/user-names.ts';
import { NO_FILTERS } from '../../src/telemetry/produce/sample/filters.ts';
import { createRollUpIds } from '../../src/telemetry/produce/sample/roll-up.ts';
import { createSampler } from '../../src/telemetry/produce/sample/this-node.ts';
import { createDirectorySink } from '../../src/telemetry/send/directory.ts';
import { packetOf } from '../../src/telemetry/send/packet.ts';

const [folder = '', ...counts] = process.argv.slice(2);
const root = join(folder, 'proc');
const PROCESSES = 20;
const CGROUP = '0::/system.slice/slurmstepd.scope/job_139/step_0/user/task_0\n';

/** Ids of the living processes, the oldest first. Names repeat, so that twins of a job are rolled up. */
const living: number[] = [];
let latest = 1000;

const write = (pid: number, ticks: number) => {
  const stat = `${pid} (task-${pid % 7}) S 1 ${pid} ${pid} 0 -1 4194560 1 1 1 1 ${ticks} 0 0 0 20 0 3 0 ${pid} 4096 ${ticks} 0\n`;
  writeFileSync(join(root, `${pid}/stat`), stat);
};
const start = () => {
  latest += 1;
  mkdirSync(join(root, String(latest)), { recursive: true });
  writeFileSync(join(root, `${latest}/cgroup`), CGROUP);
  writeFileSync(join(root, `${latest}/statm`), '300 250 50 1 0 250 0\n');
  writeFileSync(join(root, `${latest}/io`), 'rchar: 1\nread_bytes: 4096\nwrite_bytes: 8192\n');
  write(latest, 1);
  living.push(latest);
};
const letTimePass = (sample: number) => {
  for (const pid of living.splice(0, PROCESSES / 10)) {
    latest += 1;
    // A file system takes that quicker than what deletes and creates.
    renameSync(join(root, String(pid)), join(root, String(latest)));
    write(latest, 1);
    living.push(latest);
  }
  for (const pid of living.slice(0, PROCESSES / 10)) write(pid, sample);
};
for (let index = 0; index < PROCESSES; index += 1) start();

const sampler = createSampler({
  origin: { cluster: 'c.org', node: 'n1' },
  load: true,
  rollUp: true,
  filters: NO_FILTERS,
  epochOf: () => 1,
  userNames: createUserNames(),
  readGpus: async () => NO_GPUS,
  pidOf: createRollUpIds(4_194_304),
  root,
});
const sink = createDirectorySink(join(folder, 'data'), (problem) => {
  throw new Error(problem);
});

let taken = 0;
for (const count of counts.map(Number)) {
  for (; taken < count; taken += 1) {
    letTimePass(taken);
    sink.send(packetOf(await sampler.take()));
  }
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  const files = readdirSync('/proc/self/fd').length;
  console.log(JSON.stringify({ bytes: process.memoryUsage().heapUsed + process.memoryUsage().external, files }));
}
sampler.close();
await sink.close();
