import { expect, test } from 'vitest';
import { isUnknownJob } from '../../src/cluster/slurm/text.ts';
import { parseRecordedJobs } from '../../src/cluster/slurm/sacct.ts';
import { submissionScript } from '../../src/cluster/slurm/submission-script.ts';
import { NO_MARK } from '../../src/core/attempt/step-mark.ts';
import { inheritedInputs, srunOptions } from '../../src/runner/step/slurm/srun.ts';
import { stepAccountOf } from '../../src/runner/step/slurm/step-account.ts';

/** Public reports about programs that submit to Slurm and start steps, as runners do. */

/** Variables of an allocation that a step must not inherit. */
const INHERITED: readonly (readonly [string, readonly string[]])[] = [
  [
    'https://github.com/snakemake/snakemake-executor-plugin-slurm/issues/342 (srun refuses them together, 24.05)',
    ['SLURM_TRES_PER_TASK', 'SLURM_NTASKS_PER_GPU'],
  ],
  [
    'https://github.com/snakemake/snakemake-executor-plugin-slurm/issues/373 (the same, with a GPU)',
    ['SLURM_NTASKS_PER_GPU'],
  ],
  [
    'https://github.com/scalableminds/webknossos-libs/pull/1483 (two values for one option, 25.05)',
    ['SLURM_CPUS_PER_TASK', 'SLURM_TRES_PER_TASK'],
  ],
  ['https://github.com/huggingface/datatrove/pull/296 (a task for each CPU)', ['SLURM_NTASKS', 'SLURM_NPROCS']],
];

test.each(INHERITED)('a step does not inherit what it is given itself: %s', (_, names) => {
  const environment = Object.fromEntries([...names, 'SLURM_JOB_ID', 'SLURM_CONF', 'PATH'].map((name) => [name, '1']));
  expect(inheritedInputs(environment)).toEqual(names);
});

test('https://github.com/llnl/ATS/issues/133 and BSC-ES/autosubmit/issues/2897: a step says how many tasks and CPUs it has, and binds none', () => {
  const options = srunOptions(
    { need: { num_cpus: 3, memory_bytes: 2 ** 30, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 } },
    {
      jobId: 7,
      id: 'wf1_j1_r1_a1',
      nodes: [],
      isMultiNode: false,
      hasGpus: false,
      isLimited: true,
      bindsCpus: false,
      overlaps: false,
      timeMinutes: 5,
      signal: undefined,
    },
  );
  expect(options).toEqual(expect.arrayContaining(['--ntasks=1', '--cpus-per-task=3', '--cpu-bind=none', '--nodes=1']));
});

test('https://github.com/snakemake/snakemake-executor-plugin-slurm/issues/225: of several errors the last one is the reason', () => {
  const lastWords =
    'srun: error: JobId=7 failed to distribute tasks (bind_type:threads,mask_cpu,one_thread) - this should never happen\nsrun: error: Task launch for StepId=7.4 failed on node n1: Unable to layout tasks on given cpus\nsrun: error: Application launch failed: Unable to layout tasks on given cpus\nsrun: Job step aborted\n';
  const account = stepAccountOf({ srun: { exitCode: 1, signal: undefined }, mark: NO_MARK, row: undefined, lastWords });
  expect(account.refused).toBe('srun: error: Application launch failed: Unable to layout tasks on given cpus');
});

test.each([
  ['https://github.com/OSC/ood_core/issues/220', 'squeue: error: Invalid job id: 88888888888\n', true],
  ['https://github.com/riga/law/pull/125', 'slurm_load_jobs error: Invalid job id specified\n', true],
  ['a controller that is away', 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n', false],
])('%s: %j says that there is no such job: %j', (_, words, isUnknown) => {
  expect(isUnknownJob(words)).toBe(isUnknown);
});

test('https://github.com/neilmunday/slurm-mail/issues/63: a job that was canceled before it began has ended', () => {
  const row = '31178|vada|CANCELLED by 1060117793|0:0|00:00:00|1795980000||31178\n';
  expect(parseRecordedJobs(row).jobs.get(31178)).toMatchObject({ state: 'ended', seconds: 0 });
});

test('https://github.com/cylc/cylc-flow/pull/3531: a % in the name of an output file is a character', () => {
  const script = submissionScript({
    jobName: 'wf1_2_3',
    scheduler: { account: 'a', nodes: 1, walltime: '00:10:00' },
    defaults: {},
    runner: { url: 'http://h/torc-service/v1', workflowId: 1, outputDir: 'bar%bar', pollIntervalSeconds: 30 },
  } as Parameters<typeof submissionScript>[0]);
  expect(script).toContain('#SBATCH --output=bar%%bar/slurm_output_wf1_sl%j.o\n');
});
