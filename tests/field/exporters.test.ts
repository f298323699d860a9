import { expect, test } from 'vitest';
import { slurmStepOf, sluidStepOf } from '../../src/cluster/host/slurm-groups.ts';
import { parseAccounted, parseAccountedJobs, parseAccounting } from '../../src/cluster/slurm/sacct.ts';
import { scriptEndIn } from '../../src/cluster/slurm/scontrol.ts';
import { parseAvailability, parseQueueDepth } from '../../src/hpc/live-profile.ts';
import { memoryOfSteps } from '../../src/telemetry/questions/memory-of-steps.ts';
import { parseNodeStates, parsePartitions } from '../../src/telemetry/produce/slurm/cluster.ts';
import { parseSacct, SACCT_FIELDS } from '../../src/telemetry/produce/slurm/sacct.ts';

/** Public reports about programs that watch clusters, as Sonar does: the report, what is printed (names and numbers are others), and what follows. */

/** Lines of /proc/PID/cgroup: the job, or the other name that Slurm has for it. */
const GROUPS: readonly (readonly [string, string, number | string])[] = [
  [
    'https://github.com/guilbaults/slurm-job-exporter/issues/66 (26.05)',
    '0::/system.slice/slurmstepd.scope/s5K1KKYAYG5D00/step_0/user/task_0',
    's5K1KKYAYG5D00',
  ],
  [
    'https://github.com/treydock/cgroup_exporter/issues/30 (several slurmd on a host)',
    '0::/system.slice/n1_slurmstepd.scope/job_7/step_batch/user/task_0',
    7,
  ],
  [
    'https://github.com/plazonic/cgroup_exporter/issues/8 (the same, 22.05)',
    '0::/system.slice/nodename_slurmstepd.scope/job_7/step_0/user/task_0',
    7,
  ],
  [
    'https://github.com/PrincetonUniversity/jobstats/issues/61 (the same, version 1)',
    '9:memory:/slurm_n1/uid_0/job_7/step_0/task_0\n',
    7,
  ],
  [
    'https://github.com/ceems-dev/ceems/issues/284 (both versions, and a domain in the name of the node)',
    '5:cpuset:/slurm_gpu-01.r2.example.org/uid_3/job_7/step_0\n0::/system.slice/slurmd.service\n',
    7,
  ],
  [
    'https://github.com/clemsonciti/jobperf/issues/3 (version 2)',
    '0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0',
    7,
  ],
];

test.each(GROUPS)('the Slurm job of the group in %s', (_, text, job) => {
  expect(slurmStepOf(text)?.jobId ?? sluidStepOf(text)?.sluid).toBe(job);
});

test('https://github.com/SckyzO/slurm_exporter/issues/1: a job that waits in several partitions is counted in each', () => {
  const depth = parseQueueDepth('bar|RUNNING|1\nfoo,bar|PENDING|2\n');
  expect([...depth].map(([name, { pendingJobs }]) => [name, pendingJobs])).toEqual([
    ['bar', 1],
    ['foo', 1],
  ]);
});

test('https://github.com/SckyzO/slurm_exporter/issues/243: a node that does not answer is down, and not idle (25.11)', () => {
  const text = 'a*|idle*|1\na*|mixed*|2\na*|idle~|4\na*|mixed-|8\na*|allocated-|16\na*|down*|32\n';
  expect(parseAvailability(text).get('a')).toEqual({ idle: 4, mixed: 8, allocated: 16, down: 35, total: 63 });
});

test('https://github.com/vpenso/prometheus-slurm-exporter/issues/4: a state that is none of these counts in the total alone', () => {
  expect(parseAvailability('a|reserved|3\na|planned|2\n').get('a')).toMatchObject({ idle: 0, down: 0, total: 5 });
});

test('https://github.com/vpenso/prometheus-slurm-exporter/issues/55: names of more than 20 characters are whole', () => {
  const name = 'cpu-spot-dy-c52xlarge-1';
  expect(parsePartitions(`spot*|${name}|\n`)).toEqual([{ name: 'spot', nodes: [name] }]);
  expect(parseNodeStates(`${name}|idle+cloud|\n`)).toEqual([{ names: [name], states: ['IDLE', 'CLOUD'] }]);
});

test('https://github.com/eth-cscs/firecrest-v2/issues/148: a bar in the name of a job or step is a part of the name', () => {
  const job = 'a|b c|wf1_2_3';
  expect(parseAccountedJobs(`7|${job}|FAILED|3:0|00:00:09|1795980000||7\n`)).toEqual([
    { jobId: 7, state: 'ended', word: 'FAILED', seconds: 9, rawId: 7 },
  ]);
  const steps = parseAccounted(
    'crazy|name|512K||||00:00:01|n1|COMPLETED|00:00:02|cpu=00:00:02,gres/gpumem=2G\nwf1_j1_r1_a1|1024K||||00:00:01|n1|FAILED|\n',
  );
  expect([...steps].map(([name, { maxRssBytes, state }]) => [name, maxRssBytes, state])).toEqual([
    ['crazy|name', 512 * 1024, 'COMPLETED'],
    ['wf1_j1_r1_a1', 1024 * 1024, 'FAILED'],
  ]);
  const table = `7|${job}|COMPLETED|0:0|00:00:09||00:00:05|n1|1\n7.0|x|y|FAILED|2:0|00:00:03|8K|00:00:01|n1|1\n`;
  expect(parseAccounting(table)).toMatchObject({ rows: [{ step: 'x|y', state: 'FAILED', nodes: 'n1' }], nodes: 1 });
});

test('a program that stands in for sacct and ends its lines with a bar has the same fields', () => {
  expect(parseAccountedJobs('7|nodes|FAILED|3:0|00:00:09|1795980000||7|\n')).toMatchObject([
    { word: 'FAILED', rawId: 7 },
  ]);
});

test('https://github.com/neilmunday/slurm-mail/issues/67: blanks in the names of output files are parts of them', () => {
  const line =
    'JobId=7 JobName=test job UserId=ann(1) JobState=FAILED ExitCode=3:0 Command=/x/a b.sh WorkDir=/x StdErr=/x/test output StdIn=/dev/null StdOut=/x/test output TresPerTask=cpu=1';
  expect(scriptEndIn(line)).toMatchObject({ exitCode: 3, files: ['/x/test output', '/x/test output'] });
});

test('https://github.com/troycomi/reportseff/issues/41: eight tasks of 1,947,276 KB each in a job of 16,000 MB', () => {
  const step = { begin: 0, end: 53, aveRss: 0, cpuSeconds: 418, aveCpuSeconds: 52 };
  const used = memoryOfSteps([
    { ...step, step: '0', cpus: 8, maxRss: 1_947_276 },
    { ...step, step: 'batch', cpus: 8, maxRss: 20_264, cpuSeconds: 0, aveCpuSeconds: 0 },
    { ...step, step: 'extern', cpus: 8, maxRss: 1052, cpuSeconds: 0, aveCpuSeconds: 0 },
  ]);
  expect(Number(used) / (16_000 * 1024)).toBeCloseTo(0.95, 2);
});

/** ReqMem as releases print it, CPUs and nodes of the job, and kilobytes of a node. */
const REQUESTED: readonly (readonly [string, string, number, number, number])[] = [
  ['https://github.com/ycrc/seff-array/issues/24 (21.08: of the job)', '8G', 20, 1, 8 * 2 ** 20],
  ['https://github.com/ycrc/seff-array/issues/22 (20.11: of a CPU)', '1Mc', 20, 1, 20 * 1024],
  ['https://github.com/ycrc/seff-array/issues/22 (20.11: of a node)', '1Mn', 20, 2, 1024],
];

test.each(REQUESTED)('the memory of a node in %s', (_, printed, cpus, nodes, kilobytes) => {
  const values: Record<string, string> = { JobIDRaw: '1', JobID: '1', State: 'COMPLETED', ReqMem: printed };
  const row = { ...values, ReqCPUS: String(cpus), ReqNodes: String(nodes) } as Record<string, string>;
  const line = SACCT_FIELDS.map((field) => row[field] ?? '').join('|');
  const [job] = parseSacct(line, { timeOf: () => undefined, separator: '|', onProblem() {} });
  expect(job?.requested_memory_per_node).toBe(kilobytes);
});
