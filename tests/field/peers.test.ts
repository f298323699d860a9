import { expect, test } from 'vitest';
import { HelperFailed } from '../../src/cluster/helper-failed.ts';
import { isAway } from '../../src/cluster/slurm/away.ts';
import { outsideAllocation } from '../../src/cluster/slurm/programs.ts';
import { parseAccountedJobs, parseRecordedJobs, recordedJobs } from '../../src/cluster/slurm/sacct.ts';
import { parseSubmitted, parseTested } from '../../src/cluster/slurm/sbatch.ts';
import { openSqueue, parseJobs } from '../../src/cluster/slurm/squeue.ts';
import { couldNotStart, queueReasonOf } from '../../src/core/lifecycle/explain/queue-reason.ts';

/**
 * What programs of Slurm printed in public reports about other programs that use it: the report, what is printed (numbers and names are
 * others), and what follows. Rows without a report were seen on a private cluster of the release that they name.
 */

const SUBMITTED: readonly (readonly [string, string, number | undefined])[] = [
  ['https://github.com/dask/dask-jobqueue/issues/209 (a sbatch of the site)', '1578\n', 1578],
  ['https://github.com/sampsyo/clusterfutures/pull/24 (the same, with a cluster)', '7516;blue\n', 7516],
  [
    'https://github.com/jupyterhub/batchspawner/issues/148 (a plugin prints before it)',
    'Sun Jul  7 03:08:22 2019 [INFO4] [euid=55,pid=58] auks_api: auks cred added using default file\n1328\n',
    1328,
  ],
  ['https://github.com/Parsl/parsl/pull/2636 (another cluster)', 'Submitted batch job 6006 on cluster blue\n', 6006],
  [
    'https://github.com/easybuilders/easybuild-framework/issues/4061 (sbatch says what it chose)',
    'sbatch: no partition specified, using default partition serial\nSubmitted batch job 7787\n',
    7787,
  ],
  ['the last line is no number alone', '1578 jobs are in the queue\n', undefined],
];

test.each(SUBMITTED)('the answer of sbatch in %s', (_, text, id) => {
  expect(parseSubmitted(text)).toBe(id);
});

test('https://github.com/tgen/jetstream/issues/18: a variable that sbatch ignores is no refusal', () => {
  const ignored = 'sbatch: error: "SBATCH_EXCLUSIVE=true" -- invalid value, ignoring...\n';
  const starts = 'sbatch: Job 28 to start at 2026-11-23T18:55:47 using 1 processors on nodes n1 in partition debug\n';
  expect(parseTested(ignored + starts).kind).toBe('starts');
});

/** Lines of `squeue -o '%i|%T|%S|%M|%A|%V|'`: the jobs in them, and how they stand. */
const QUEUED: readonly (readonly [string, string, readonly (readonly [number | string, string])[]])[] = [
  [
    'https://github.com/tudo-r/BatchJobs/issues/100 (tasks that wait, with -r or without)',
    '123_[1-2,5]|PENDING|N/A|0:00|123|1795980000|\n',
    [
      ['123_1', 'queued'],
      ['123_2', 'queued'],
      ['123_5', 'queued'],
    ],
  ],
  [
    'https://github.com/ufs-community/ufs-weather-model/issues/2379 (a time beside the state is INVALID)',
    '135|COMPLETING|1795980000|INVALID|135|1795980000|\n',
    [[135, 'running']],
  ],
  [
    'https://github.com/nextflow-io/nextflow/issues/5298 (its node never came up)',
    '407|NODE_FAIL|1795980000|0:00|407|1795980000|\n',
    [[407, 'ended']],
  ],
  [
    'https://github.com/reframe-hpc/reframe/issues/3608 (preempted, and requeued a moment later)',
    '36|PREEMPTED|1795980000|5:00|36|1795980000|\n37|PENDING|N/A|0:00|37|1795980300|\n',
    [
      [36, 'ended'],
      [37, 'queued'],
    ],
  ],
  // sbatch of a script with a line "#SBATCH hetjob" prints 57, and the script runs in the first component.
  [
    'a heterogeneous job, 22.05.8 and 26.05.3',
    '57+0|RUNNING|1795980000|0:01|57|1795980000|\n57+1|RUNNING|1795980000|0:01|58|1795980000|\n',
    [[57, 'running']],
  ],
  // In the list of states of `squeue -t`.
  ['a job that starts again before all others, 26.05.3', '9|EXPEDITING|N/A|0:00|9|1795980000|\n', [[9, 'queued']]],
];

test.each(QUEUED)('the jobs that squeue lists in %s', (_, text, jobs) => {
  expect(parseJobs(text).map(({ jobId, state }) => [jobId, state])).toEqual(jobs);
});

/** Rows of `sacct -P -n -o JobID,JobName,State,ExitCode,Elapsed,End,MaxRSS,JobIDRaw`: names of a job, and its state. */
const ACCOUNTED: readonly (readonly [string, string, readonly (number | string)[], string])[] = [
  [
    'https://github.com/snakemake/snakemake/pull/2036 (a task by the id that it got)',
    '1043_91|a|COMPLETED|0:0|00:00:05|1795980000||1066\n1043_91.batch|batch|COMPLETED|0:0|00:00:05|1795980000||1066.batch\n',
    [1066, '1043_91'],
    'ended',
  ],
  [
    'https://github.com/snakemake/snakemake/pull/2167 (who canceled it)',
    '12|a|CANCELLED by 123|0:0|00:00:05|1795980000||12\n',
    [12],
    'ended',
  ],
  [
    'a heterogeneous job, 26.05.3',
    '11+0|het.sh|RUNNING|0:0|00:00:01|Unknown||11\n11+0.0|sleep|RUNNING|0:0|00:00:01|Unknown||11.0\n11+1|het.sh|RUNNING|0:0|00:00:01|Unknown||12\n',
    [11],
    'running',
  ],
];

test.each(ACCOUNTED)('the jobs that sacct has in %s', (_, text, names, state) => {
  const { jobs } = parseRecordedJobs(text);
  expect([...jobs.keys()]).toEqual(names);
  expect(new Set([...jobs.values()].map((each) => each.state))).toEqual(new Set([state]));
  expect(parseAccountedJobs(text).map((each) => each.state)).toContain(state);
});

test('https://github.com/martius-lab/cluster_utils/issues/87: a step that a signal ended is not as its job, which completed', () => {
  const row = (id: string, name: string, end: string) => `${id}|${name}|${end}|00:00:09|1795980000||${id}\n`;
  const text = row('23', 'a', 'COMPLETED|0:0') + row('23.0', 'wf1_j1_r1_a1', 'CANCELLED|0:10');
  expect(parseRecordedJobs(text).steps.get('wf1_j1_r1_a1')).toMatchObject({ state: 'CANCELLED', signal: 10 });
});

test('https://github.com/snakemake/snakemake-executor-plugin-slurm/issues/38: without an accounting nothing is known, and other failures are errors', async () => {
  const says = (stderr: string) => () =>
    Promise.reject(new HelperFailed('sacct failed', { stderr, isLate: false, isMissing: false, signal: undefined }));
  expect(await recordedJobs(says('Slurm accounting storage is disabled\n'), [1])).toBeUndefined();
  await expect(recordedJobs(says('sacct: error: Problem talking to the database\n'), [1])).rejects.toThrow();
});

test('https://github.com/nextflow-io/nextflow/issues/312: jobs in hidden partitions are seen, with their steps', async () => {
  const asked: (readonly string[])[] = [];
  const squeue = openSqueue((_, args) => {
    asked.push(args);
    return Promise.resolve('');
  });
  await squeue.jobs([1]);
  await squeue.scripts();
  await squeue.reasons([1]);
  await squeue.steps(1);
  expect(asked.map((args) => args.includes('--all'))).toEqual([true, true, true, true]);
});

test.each([
  // https://github.com/Parsl/parsl/pull/2293, https://github.com/llnl/maestrowf/pull/431
  'SQUEUE_FORMAT',
  'SACCT_FORMAT',
  // Each leaves out jobs that are asked for by their ids, with exit code 0 (22.05.8).
  'SQUEUE_PARTITION',
  'SQUEUE_USERS',
  'SQUEUE_ACCOUNT',
  'SQUEUE_QOS',
  'SQUEUE_NAMES',
  'SQUEUE_LICENSES',
  // Each leaves a job alone that is named by its id, with exit code 0 (22.05.8, 26.05.3 but for SCANCEL_USER); the last asks without an end.
  'SCANCEL_NAME',
  'SCANCEL_PARTITION',
  'SCANCEL_USER',
  'SCANCEL_ACCOUNT',
  'SCANCEL_QOS',
  'SCANCEL_INTERACTIVE',
])("%s of a user does not change what Slurm's programs show or do for us", (name) => {
  expect(outsideAllocation({ [name]: 'x', PATH: '/bin' })).not.toHaveProperty(name);
});

/** What a busy or restarting controller says: it is asked again. A refusal is final. */
const AWAY: readonly (readonly [string, string, boolean])[] = [
  [
    'https://github.com/snakemake/snakemake-executor-plugin-slurm/issues/313 (a controller that is too busy)',
    'sbatch: error: Batch job submission failed: Unexpected message received',
    true,
  ],
  [
    'https://github.com/DataBiosphere/toil/issues/4743 (its folder is full for a while)',
    'sbatch: error: Batch job submission failed: I/O error writing script/environment to file',
    true,
  ],
  [
    'https://github.com/snakemake/snakemake-executor-plugin-slurm/issues/320 (no such node)',
    'sbatch: error: Batch job submission failed: Requested node configuration is not available',
    false,
  ],
  [
    'https://github.com/nextflow-io/nextflow/issues/1644 (a user without a name)',
    'squeue: error: Invalid user: ?',
    false,
  ],
];

test.each(AWAY)('what Slurm says in %s is passing or final', (_, words, isPassing) => {
  expect(isAway(words)).toBe(isPassing);
});

test.each([
  ['https://github.com/burrmill/burrmill/issues/15, in squeue', 'launch failed requeued held'],
  ['https://github.com/burrmill/burrmill/issues/15, in scontrol', 'launch_failed_requeued_held'],
])('%s: an allocation that Slurm could not start is held, and its owner may release it', (_, reason) => {
  expect(couldNotStart(reason)).toBe(true);
  expect(queueReasonOf(reason)).toMatchObject({ isHeld: true, isFinal: true, isUsual: false });
});

test('https://github.com/SlinkyProject/slurm-bridge/issues/10: a limit of a QOS is reached until other jobs end', () => {
  expect(queueReasonOf('QOSGrpCpuLimit')).toMatchObject({ isFinal: false, isUsual: true });
});
