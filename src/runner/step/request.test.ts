import { filesOf, stdioOf } from '../../core/contract/files/job.ts';
import { describe, expect, it } from 'vitest';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { ExecutionConfig } from '../../core/contract/workflow.ts';
import type { RunFacts } from '../facts/run-facts.ts';
import { environmentOfRun, jobVariables, launchRequestOf, scriptOf, stepVariables } from './request.ts';

const job: ClaimedJob = {
  id: 42,
  workflow_id: 7,
  attempt_id: 3,
  name: 'train',
  command: 'python train.py',
  need: { num_cpus: 1, memory_bytes: 0, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 },
};
const facts: RunFacts = {
  workflowId: 7,
  runId: 2,
  apiUrl: 'http://server:8080/torc-service/v1',
  outputDir: 'out',
  submissionDirectory: undefined,
  execution: {},
  variables: [],
};
const stem = 'out/job_stdio/job_wf7_j42_r2_a3';

describe('the output of a job', () => {
  it.each<[string, ExecutionConfig, ReturnType<typeof stdioOf>]>([
    ['kept in two files by default', {}, { mode: 'separate', delete_on_success: false }],
    [
      'handled as the workflow says',
      { stdio: { mode: 'combined', delete_on_success: true } },
      { mode: 'combined', delete_on_success: true },
    ],
    [
      'handled as the job says, without the settings of the workflow',
      { stdio: { mode: 'combined', delete_on_success: true }, job_stdio_overrides: { train: { mode: 'no_stderr' } } },
      { mode: 'no_stderr', delete_on_success: false },
    ],
    [
      'not handled as another job says',
      { job_stdio_overrides: { test: { mode: 'none' } } },
      { mode: 'separate', delete_on_success: false },
    ],
  ])('the output of a job is %s', (_, execution, stdio) => {
    expect(stdioOf(execution, 'train')).toEqual(stdio);
  });

  it.each([
    ['separate', `${stem}.o`, `${stem}.e`],
    ['combined', `${stem}.log`, `${stem}.log`],
    ['no_stdout', undefined, `${stem}.e`],
    ['no_stderr', `${stem}.o`, undefined],
    ['none', undefined, undefined],
  ] as const)('the output in mode %s goes to %s and %s', (mode, stdout, stderr) => {
    expect(filesOf({ ...facts, execution: { stdio: { mode } } }, job)).toEqual({ stdout, stderr });
  });
});

describe('the script of a job', () => {
  it.each<[string, string | null | undefined, string]>([
    ['its command', undefined, 'python train.py'],
    ['its command if the invocation script is null', null, 'python train.py'],
    ['its command if the invocation script is blank', ' \n', 'python train.py'],
    ['an invocation script of one line before the command', ' bash run.sh ', 'bash run.sh python train.py'],
    [
      'an invocation script of several lines before the line of the command',
      'module load cuda\nset -e\n\n',
      'module load cuda\nset -e\npython train.py',
    ],
    ['one line that ends in a line break, before the line of the command', 'set -e\n', 'set -e\npython train.py'],
  ])('the script of a job is %s', (_, script, line) => {
    expect(scriptOf({ command: job.command, invocation_script: script })).toBe(line);
  });

  it.each<[string, string | undefined, ExecutionConfig, string]>([
    ['a | b', undefined, { pipefail: true }, 'set -o pipefail; a | b'],
    ['a | b', 'module load cuda\n', { pipefail: true }, 'module load cuda\nset -o pipefail; a | b'],
    ['a | b', 'nice', { pipefail: true }, 'set -o pipefail; nice a | b'],
    ['a; b', 'nice', { pipefail: true }, 'nice a; b'],
    ['a | b', undefined, { pipefail: false }, 'a | b'],
    ['a | b', undefined, {}, 'a | b'],
  ])('the script of the command %j behind %j with %j is %j', (command, script, execution, line) => {
    expect(scriptOf({ command, invocation_script: script }, execution)).toBe(line);
  });
});

describe('the environment of a job', () => {
  const environmentOf = (ours: RunFacts, its: Partial<ClaimedJob>, gpus: readonly string[] = []) =>
    environmentOfRun(Object.fromEntries(stepVariables(ours, { ...job, ...its }, gpus)), ours);

  it('the environment of a job identifies the job and its server', () => {
    expect(environmentOf(facts, {})).toEqual({
      TORC_WORKFLOW_ID: '7',
      TORC_RUN_ID: '2',
      TORC_JOB_ID: '42',
      TORC_JOB_NAME: 'train',
      TORC_OUTPUT_DIR: 'out',
      TORC_ATTEMPT_ID: '3',
      TORC_API_URL: 'http://server:8080/torc-service/v1',
    });
  });

  it('the environment of a job contains the submission directory, if it is known', () => {
    const known = environmentOf({ ...facts, submissionDirectory: '/home/ann' }, {});
    expect(known).toMatchObject({ TORC_WORKFLOW_SUBMISSION_DIR: '/home/ann' });
  });

  it('the environment of a job contains its own variables, which cannot replace the identity of the job or run', () => {
    const environment = environmentOf(
      { ...facts, variables: [['TORC_MARK', 'ours']] },
      { env: { SEED: '1', TORC_JOB_ID: '1', TORC_MARK: 'mine' } },
    );
    expect(environment).toMatchObject({ SEED: '1', TORC_JOB_ID: '42', TORC_MARK: 'ours' });
  });

  const visible = ['CUDA_VISIBLE_DEVICES', 'HIP_VISIBLE_DEVICES', 'ROCR_VISIBLE_DEVICES', 'TORC_GPU_VISIBLE_DEVICES'];

  it.each(visible)('the environment of a job names its devices in %s, whatever value the job sets', (name) => {
    expect(environmentOf(facts, { env: { [name]: 'all' } }, ['2', '5'])[name]).toBe('2,5');
  });

  it.each(visible)('the environment of a job without devices keeps its own %s', (name) => {
    expect(environmentOf(facts, {})).not.toHaveProperty(name);
    expect(environmentOf(facts, { env: { [name]: '1' } })[name]).toBe('1');
  });

  it.each(visible)(
    'the environment of a job without devices has an empty %s where they are hidden, or its own',
    (name) => {
      const hiding = { ...facts, execution: { hide_gpus: true } };
      expect(environmentOf(hiding, {})[name]).toBe('');
      expect(environmentOf(hiding, { env: { [name]: '1', A: 'b' } })).toMatchObject({ [name]: '1', A: 'b' });
      expect(environmentOf(hiding, {}, ['2'])[name]).toBe('2');
    },
  );

  it('the variables of a job are apart from those of its run, and each is named once', () => {
    const ofJob = stepVariables(facts, { ...job, env: { TORC_RUN_ID: '9', A: '1' } }, ['0']).map(([name]) => name);
    const ofRun = Object.keys(environmentOfRun({}, facts));
    expect([...ofJob, ...ofRun]).toEqual([...new Set([...ofJob, ...ofRun])]);
    expect(ofJob).toContain('A');
  });

  it('a script that runs for a job has the identity of the job and of its run, and not its own variables', () => {
    expect(Object.fromEntries(jobVariables(facts, job))).toEqual(environmentOf(facts, {}));
  });
});

it('a job is launched with its script, its environment and its files', () => {
  expect(launchRequestOf(facts, { ...job, invocation_script: 'set -e\n' }, ['1'])).toEqual({
    script: 'set -e\npython train.py',
    variables: stepVariables(facts, job, ['1']),
    stdout: `${stem}.o`,
    stderr: `${stem}.e`,
  });
});
