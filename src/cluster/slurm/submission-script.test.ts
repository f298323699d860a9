import { describe, expect, it, test } from 'vitest';
import type { AllocationScript } from '../batch/allocation-script.ts';
import { jobNameIn, submissionScript, takesArray } from './submission-script.ts';

const submission: AllocationScript = {
  jobName: 'wf7_99_1',
  scheduler: { account: 'proj', nodes: 2, walltime: '04:00:00' },
  defaults: {},
  runner: { url: 'http://host:8080/torc-service/v1', workflowId: 7, outputDir: 'torc_output', pollIntervalSeconds: 30 },
};
const lines = (over: Partial<AllocationScript>) => submissionScript({ ...submission, ...over }).split('\n');
const runner = (over: Partial<AllocationScript['runner']>) => ({ runner: { ...submission.runner, ...over } });
const command = (over: Partial<AllocationScript['runner']>) =>
  lines(runner(over)).find((line) => line.includes('torc-slurm-job-runner '));

describe('the script of an allocation', () => {
  it('the script of an allocation asks sbatch for what the scheduler says, and then starts a runner', () => {
    expect(lines({})).toEqual([
      '#!/bin/bash',
      '#SBATCH --account=proj',
      '#SBATCH --job-name=wf7_99_1',
      '#SBATCH --time=04:00:00',
      '#SBATCH --output=torc_output/slurm_output_wf7_sl%j.o',
      '#SBATCH --error=torc_output/slurm_output_wf7_sl%j.e',
      '#SBATCH --open-mode=append',
      '#SBATCH --nodes=2',
      '',
      'unset SLURM_MEM_PER_CPU SLURM_MEM_PER_GPU',
      'exec torc-slurm-job-runner http://host:8080/torc-service/v1 7 torc_output --poll-interval 30',
      '',
    ]);
  });

  it('the script of an allocation writes every field of the scheduler and its extra options as they are', () => {
    const scheduler = {
      ...submission.scheduler,
      partition: 'gpu',
      qos: 'high',
      gres: 'gpu:2',
      mem: '64g',
      tmp: '10g',
      extra: '--reservation=week_12 --constraint="a&b"',
    };
    const text = lines({ scheduler });
    for (const option of ['partition=gpu', 'qos=high', 'gres=gpu:2', 'mem=64g', 'tmp=10g'])
      expect(text).toContain(`#SBATCH --${option}`);
    expect(text).toContain('#SBATCH --reservation=week_12 --constraint="a&b"');
  });

  it('the script of an allocation writes defaults with dashes, and a value of the scheduler replaces a default of the same name', () => {
    const defaults = { qos: 'low', mail_type: 'FAIL', nice: 100, ntasks_per_node: 2, bad: ['a'], worse: null };
    const text = lines({ defaults, scheduler: { ...submission.scheduler, qos: 'high' } });
    expect(text).toEqual(expect.arrayContaining(['#SBATCH --qos=high', '#SBATCH --mail-type=FAIL']));
    expect(text).toEqual(expect.arrayContaining(['#SBATCH --nice=100', '#SBATCH --ntasks-per-node=2']));
    expect(text.join()).not.toMatch(/low|bad|worse/);
  });

  it('the script of an allocation writes a flag without a value, because sbatch refuses --exclusive=true', () => {
    const text = lines({ defaults: { exclusive: true, requeue: true, exclude: 'n1' } });
    expect(text).toEqual(expect.arrayContaining(['#SBATCH --exclusive', '#SBATCH --requeue', '#SBATCH --exclude=n1']));
  });

  it('the script of an allocation asks for the CPUs of the largest job where nothing else does', () => {
    const needs = [{ num_cpus: 4 }, { num_cpus: 2 }];
    expect(lines({ needs })).toContain('#SBATCH --cpus-per-task=4');
    expect(lines({ needs, defaults: { ntasks: 2 } }).join()).not.toContain('cpus-per-task');
  });

  it('the script of an allocation writes no other field of the record: sbatch knows no --id and no --name', () => {
    const record = { ...submission.scheduler, id: 3, workflow_id: 7, name: 'long', ntasks_per_node: 4, qos: null };
    expect(lines({ scheduler: record })).toEqual(lines({}));
  });

  it('the script of an allocation quotes values with blanks for sbatch, and words for the shell', () => {
    const text = lines({ defaults: { comment: 'a "b" c' }, ...runner({ outputDir: 'my out' }) });
    expect(text).toContain(String.raw`#SBATCH --comment="a \"b\" c"`);
    expect(text).toContain('#SBATCH --output="my out/slurm_output_wf7_sl%j.o"');
    expect(text.at(-2)).toContain(" 7 'my out' --poll-interval");
  });

  it('the script of an allocation names its output files so that Slurm replaces nothing in their folder, or is refused', () => {
    expect(lines(runner({ outputDir: '50% of %j' }))).toContain(
      '#SBATCH --output="50%% of %%j/slurm_output_wf7_sl%j.o"',
    );
    expect(lines({ workingFolder: '/at/50% of', ...runner({ outputDir: 'out' }) })).toContain(
      '#SBATCH --output="/at/50%% of/out/slurm_output_wf7_sl%j.o"',
    );
    expect(lines({ workingFolder: '/at/5%', defaults: { chdir: '/scratch' } })).toEqual(
      lines({ defaults: { chdir: '/scratch' } }),
    );
    expect(() => lines(runner({ outputDir: 'a\\b' }))).toThrow(
      /^the output folder a\\b contains a backslash, which Slurm/,
    );
  });

  test.each(['a\nrm -rf /', 'a\rb', 'a\0b'])(
    'the script of an allocation refuses a value that would end its line: %j',
    (value) => {
      const refused = expect.objectContaining({ code: 'SUBMISSION_REFUSED' });
      expect(() => lines({ defaults: { comment: value } })).toThrow(refused);
      expect(() => lines({ scheduler: { ...submission.scheduler, extra: value } })).toThrow(refused);
    },
  );
});

it.each([
  { defaults: { clusters: 'blue' } },
  { scheduler: { ...submission.scheduler, extra: '--clusters=blue' } },
  { scheduler: { ...submission.scheduler, extra: '--exclusive -M blue' } },
])('a choice of clusters is refused: %j', (given) => {
  expect(() => lines(given)).toThrow(expect.objectContaining({ code: 'SUBMISSION_REFUSED' }));
});

it('an option that only looks like a choice of clusters is none', () => {
  const extra = '--cluster-constraint=x --comment=-Mine';
  expect(lines({ scheduler: { ...submission.scheduler, extra } })).toContain(`#SBATCH ${extra}`);
});

describe('the runner of an allocation', () => {
  it('the runner of an allocation gets its options in one order, each only if it is set', () => {
    const all = {
      maxParallelJobs: 8,
      claimBackoffMaxSeconds: 90.5,
      tlsCaCert: "/my/ca's.pem",
      tlsInsecure: true,
      startupDelaySeconds: 10,
    };
    expect(command(all)).toBe(
      `exec torc-slurm-job-runner ${submission.runner.url} 7 torc_output --poll-interval 30 --max-parallel-jobs 8 ` +
        String.raw`--claim-backoff-max-secs 90.5 --tls-ca-cert '/my/ca'\''s.pem' --tls-insecure --startup-delay-seconds 10`,
    );
    expect(command({ startupDelaySeconds: 0, tlsInsecure: false })).not.toMatch(/delay|tls/);
  });

  it('the runner of an allocation, and what measures other nodes, get the umask of the submission if it is not the default', () => {
    const all = lines(runner({ umask: '027', monitorsNodes: true }));
    expect(
      all.filter((line) => line.includes('env TORC_UMASK=027 torc')).map((line) => line.trim().split(' ')[0]),
    ).toEqual(['srun', 'exec']);
    expect(command({ umask: '027' })).toMatch(/^exec env TORC_UMASK=027 torc-slurm-job-runner /);
    expect(command({ umask: '027', perNode: {} })).toContain('bad-exit=0 env TORC_UMASK=027 torc-slurm-job-runner');
    expect(lines({}).join('\n')).not.toContain('UMASK');
  });

  it('the runner of an allocation is started on each node by srun if the action asks for that', () => {
    expect(command({ perNode: {} })).toBe(
      `srun --ntasks-per-node=1 --wait=0 --kill-on-bad-exit=0 torc-slurm-job-runner ${submission.runner.url} 7 torc_output --poll-interval 30 --is-subtask`,
    );
    expect(command({ perNode: { mpi: 'pmix' } })).toContain('--kill-on-bad-exit=0 --mpi=pmix torc-slurm-job-runner');
  });

  test.each(['pmix;rm', ' pmix', 'a b', '', ' '])('the runner of an allocation is not started with --mpi=%j', (mpi) => {
    expect(() => command({ perNode: { mpi } })).toThrow(/srun_mpi must/);
  });

  it('the runner of an allocation has its other nodes measured beside it, and takes the place of the script', () => {
    const text = lines(runner({ monitorsNodes: true }));
    expect(text.findIndex((line) => line.includes('monitor-node -w 7'))).toBeLessThan(
      text.findIndex((line) => line.startsWith('exec torc-slurm-job-runner')),
    );
  });
});

test.each([
  [{}, {}, true],
  [{ extra: '--mail-type=ALL' }, { account: 'a' }, true],
  [{ serialize_allocations: true }, {}, false],
  [{ extra: '--array=0-3' }, {}, false],
  [{ extra: '--hold -a 0-3' }, {}, false],
  [{ extra: '--account=x-a' }, {}, true],
  [{}, { array: '0-3' }, false],
])('a scheduler with %j and the defaults %j may submit a job array: %s', (scheduler, defaults, expected) => {
  expect(takesArray(scheduler, defaults)).toBe(expected);
});

test.each(['wf7_99_1', 'night run "a" \\ wf7_99_1', "it's"])(
  'the name of the job is read from its script: %s',
  (jobName) => {
    expect(jobNameIn(submissionScript({ ...submission, jobName }))).toBe(jobName);
  },
);
