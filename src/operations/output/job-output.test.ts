import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import type { Job } from '../../core/contract/job.ts';
import type { ComputeNode } from '../../core/contract/node.ts';
import type { ExecutionConfig, Workflow } from '../../core/contract/workflow.ts';
import { chosenAttempt, outputPath, type StartedAttempt } from './job-output.ts';

const job = { id: 3, workflow_id: 1, name: 'train', command: 'x', status: 'completed' } as Job;
const attempt = (run: number, number: number, status = 'completed'): StartedAttempt => ({
  run,
  attempt: number,
  nodeId: 7,
  status,
});

describe('the attempt whose output is printed', () => {
  const attempts = [attempt(1, 1), attempt(1, 2), attempt(2, 1, 'running')];
  const chosen = (run?: number, number?: number) => chosenAttempt(job, attempts, { run, attempt: number });

  it('the attempt whose output is printed is the newest of the newest run, also while it runs', () =>
    expect(chosen()).toBe(attempts[2]));
  it('the attempt whose output is printed is the newest of a run that is named', () =>
    expect(chosen(1)).toBe(attempts[1]));
  it('the attempt whose output is printed is one that is named, in the newest run that has it', () => {
    expect(chosen(undefined, 1)).toBe(attempts[2]);
    expect(chosen(undefined, 2)).toBe(attempts[1]);
    expect(chosen(1, 1)).toBe(attempts[0]);
  });

  it('the attempt whose output is printed is refused where there is no such attempt, with those that there are', () => {
    expect(() => chosen(2, 2)).toThrow(
      'job 3 (train) has no attempt 2 of run 2; it has attempt 1 of run 1, attempt 2 of run 1, attempt 1 of run 2',
    );
  });

  it('the attempt whose output is printed is refused of a job that has not started, with its status', () => {
    expect(() => chosenAttempt({ ...job, status: 'blocked' }, [], { run: undefined, attempt: undefined })).toThrow(
      'job 3 (train) has not started: it is blocked',
    );
  });
});

describe('the file of an output', () => {
  /** The path in a folder that has these files; runners kept their output in `elsewhere` of it. */
  function pathIn(
    folder: string,
    { stream = 'stdout', execution = {}, host = hostname(), knowsFolder = true }: Partial<Options> = {},
  ): string {
    return outputPath({
      workflow: { id: 1, execution_config: execution } as Workflow,
      job,
      attempt: attempt(1, 2),
      node: {
        hostname: host,
        process: knowsFolder ? { ledger: join(folder, 'elsewhere/job_runner_ledger/x.ledger') } : null,
      } as ComputeNode,
      stream,
      outputDir: join(folder, 'here'),
    });
  }
  interface Options {
    readonly stream: 'stdout' | 'stderr';
    readonly execution: ExecutionConfig;
    readonly host: string;
    readonly knowsFolder: boolean;
  }

  function folderWith(...files: string[]): string {
    const folder = temporaryFolder();
    for (const name of ['here', 'elsewhere']) mkdirSync(join(folder, name, 'job_stdio'), { recursive: true });
    for (const file of files) writeFileSync(join(folder, file), 'text');
    return folder;
  }

  it('the file of an output is that in the folder of its runner, and not one of the same name in the working directory', () => {
    const folder = folderWith('elsewhere/job_stdio/job_wf1_j3_r1_a2.o', 'here/job_stdio/job_wf1_j3_r1_a2.o');
    expect(pathIn(folder)).toBe(join(folder, 'elsewhere/job_stdio/job_wf1_j3_r1_a2.o'));
  });

  it('the file of an output is that in the output folder where the other is gone or not known', () => {
    const folder = folderWith('here/job_stdio/job_wf1_j3_r1_a2.e');
    for (const knowsFolder of [true, false])
      expect(pathIn(folder, { stream: 'stderr', knowsFolder })).toBe(join(folder, 'here/job_stdio/job_wf1_j3_r1_a2.e'));
  });

  it('the file of an output is one for both streams where they are combined', () => {
    const folder = folderWith('here/job_stdio/job_wf1_j3_r1_a2.log');
    for (const stream of ['stdout', 'stderr'] as const)
      expect(pathIn(folder, { stream, execution: { stdio: { mode: 'combined' } } })).toMatch(/_a2\.log$/);
  });

  const which = 'of attempt 2 of job 3 (train) in run 1';
  it.each<[string, Partial<Options>]>([
    [`the stdout ${which} is not kept: its stdio mode is no_stdout`, { execution: { stdio: { mode: 'no_stdout' } } }],
    [
      `the stderr ${which} is not kept: its stdio mode is none`,
      { stream: 'stderr', execution: { stdio: { mode: 'none' } } },
    ],
    [`the stdout ${which} was deleted when the job completed`, { execution: { stdio: { delete_on_success: true } } }],
    [`the stdout ${which} is not on this host, ${hostname()}: the job ran on node17`, { host: 'node17' }],
    [`the stdout ${which} is not there; looked for `, {}],
  ])('the file of an output is refused: %s', (words, options) => {
    expect(() => pathIn(folderWith(), options)).toThrow(words);
  });
});
