import { describe, expect, it } from 'vitest';
import type { AccountedStep } from '../../../cluster/slurm/sacct.ts';
import { type Mark, NO_MARK } from '../../../core/attempt/step-mark.ts';
import { stepAccountOf, type StepEvidence } from './step-account.ts';

const row = (state: string, figures: Partial<AccountedStep> = {}): AccountedStep => ({
  state,
  maxRssBytes: undefined,
  maxVmSizeBytes: undefined,
  maxDiskReadBytes: undefined,
  maxDiskWriteBytes: undefined,
  aveCpuSeconds: undefined,
  nodeList: 'n1',
  canceledBy: undefined,
  ...figures,
});
const began: Mark = { ...NO_MARK, began: true };
const ended = (code: number, asked?: Mark['asked']): Mark => ({ ...began, code, asked });
const byUser = { canceledBy: '1000' };
const handled = { isHandled: true, isCertain: true };
const unhandled = { isHandled: false, isCertain: true };
const evidence = (given: Partial<StepEvidence> & { code?: number | undefined }): StepEvidence => ({
  srun: { exitCode: given.code ?? 0, signal: undefined },
  mark: began,
  row: undefined,
  lastWords: '',
  ...given,
});
const exceeded = 'slurmstepd-n1: error: StepId=7.1 exceeded memory limit (323026944 > 104857600), being killed\n';

/** `srun` of 26.05.3 with `JobAcctGatherParams=OverMemoryKill`, whose step takes 300 MB and may have 100. */
const exceededOf26 = `[2026-11-28T19:29:54.425] error: StepId=62.3 exceeded memory limit (323231744 > 104857600), being killed
[2026-11-28T19:29:54.431] error: *** STEP 62.3 ON n1 CANCELLED AT 2026-11-28T19:29:54 DUE to SIGNAL Killed ***
srun: Job step aborted: Waiting up to 5 seconds for job step to finish.
[2026-11-28T19:29:54.432] error: StepId=62.3 exceeded memory limit (323231744 > 104857600), being killed
srun: error: n1: task 0: Killed
`;

describe('what the end of a step means', () => {
  it.each<[string, Parameters<typeof evidence>[0], object]>([
    ['exit code 0', { mark: ended(0), row: row('COMPLETED') }, { exitCode: 0 }],
    ['exit code 200, of which sacct keeps 72', { code: 200, mark: ended(200), row: row('FAILED') }, { exitCode: 200 }],
    ['an OUT_OF_MEMORY of any exit code', { mark: ended(0), row: row('OUT_OF_MEMORY') }, { endedBy: 'memory' }],
    [
      'a memory limit that is watched by polling',
      { code: 137, row: row('CANCELLED'), lastWords: `output\n${exceeded}srun: error: n1: task 0: Killed\n` },
      { endedBy: 'memory' },
    ],
    [
      'such a memory limit, by a daemon that prints the time instead of its name',
      { code: 137, row: row('CANCELLED', { canceledBy: '0' }), lastWords: exceededOf26 },
      { endedBy: 'memory', cause: 'Slurm: it exceeded memory limit (323231744 > 104857600)' },
    ],
    [
      'the end of its allocation, after words of its own like those of such a daemon',
      {
        code: 137,
        row: row('CANCELLED'),
        lastWords: '[2026-11-28T19:29:54] error: the cache exceeded memory limit (2 > 1)\n',
      },
      { endedBy: 'allocation' },
    ],
    ['its time limit', { code: 143, mark: ended(143), row: row('TIMEOUT') }, { endedBy: 'time' }],
    ['a time limit that ignored TERM', { code: 137, row: row('TIMEOUT') }, { endedBy: 'time' }],
    [
      'exit code 0 after its time limit',
      { mark: ended(0, handled), row: row('TIMEOUT') },
      { exitCode: 0, asked: handled },
    ],
    [
      'exit code 0 after its time limit, of which its mark has the SIGCONT alone',
      { mark: ended(0, { ...handled, isCertain: false }), row: row('TIMEOUT') },
      { exitCode: 0, asked: handled },
    ],
    [
      'exit code 0 after a SIGCONT that asked nothing',
      { mark: ended(0, { ...handled, isCertain: false }), row: row('COMPLETED') },
      { exitCode: 0, asked: { ...handled, isCertain: false } },
    ],
    ['its time limit, whatever its exit code', { mark: ended(0), row: row('TIMEOUT') }, { endedBy: 'time' }],
    ['a person who canceled it', { code: 137, row: row('CANCELLED', byUser) }, { endedBy: 'cancel' }],
    [
      'a person who canceled it, though a script ended with 0',
      { mark: ended(0), row: row('CANCELLED', byUser) },
      { endedBy: 'cancel' },
    ],
    ['the end of its allocation', { code: 137, row: row('CANCELLED') }, { endedBy: 'allocation' }],
    [
      'the end of its allocation, though a script ended with 0',
      { mark: ended(0, unhandled), row: row('CANCELLED') },
      { endedBy: 'allocation' },
    ],
    [
      'exit code 0 after a signal that it does not handle',
      { mark: ended(0, unhandled), row: row('COMPLETED') },
      { exitCode: 0, asked: unhandled },
    ],
    [
      'the end of its srun',
      { srun: { exitCode: undefined, signal: 9 }, row: row('CANCELLED', byUser) },
      { endedBy: 'node', cause: 'its srun was ended by SIGKILL' },
    ],
    [
      'exit code 0 long after its srun was killed',
      { srun: { exitCode: undefined, signal: 9 }, mark: ended(0), row: row('COMPLETED') },
      { exitCode: 0, signal: undefined },
    ],
    [
      'a good end after its srun was killed, if its mark was not written',
      { srun: { exitCode: undefined, signal: 9 }, row: row('COMPLETED') },
      { exitCode: 0, signal: undefined },
    ],
    ['exit code 0, if its mark was not written', { row: row('COMPLETED') }, { exitCode: 0 }],
    [
      'exit code 0, if its mark was not written and its srun failed',
      { code: 1, row: row('COMPLETED') },
      { exitCode: 0 },
    ],
    [
      'a signal of the allocation',
      { code: 143, mark: ended(143), row: row('CANCELLED') },
      { endedBy: 'allocation', exitCode: 143 },
    ],
    ['the end of its node, for which srun exits with 0', { row: row('CANCELLED') }, { endedBy: 'node' }],
    ['the end of its node, without an accounting', {}, { endedBy: 'node' }],
    [
      'the end of its node, for which srun of newer releases exits with 1',
      { code: 1, row: row('CANCELLED'), lastWords: 'srun: error: Node failure on n3\nsrun: Job step aborted\n' },
      { endedBy: 'node' },
    ],
    ['its own code, without an accounting', { code: 3, mark: ended(3) }, { exitCode: 3 }],
    ['the code of srun, if it left no mark', { code: 137 }, { exitCode: 137 }],
  ])('a step that ended by %s', (_, given, expected) => {
    const account = stepAccountOf(evidence(given));
    expect(account).toMatchObject(expected);
    if (!('endedBy' in expected)) expect(account.endedBy).toBeUndefined();
    expect(account.refused).toBeUndefined();
  });

  it('a step that srun gave up on, with exit code 0, was killed, although its command handles the signal before', () => {
    const killed = { exitCode: undefined, signal: 9, asked: handled };
    expect(stepAccountOf(evidence({ mark: { ...began, asked: handled } }))).toMatchObject(killed);
    expect(stepAccountOf(evidence({ mark: { ...began, asked: handled }, row: row('FAILED') }))).toMatchObject(killed);
    expect(stepAccountOf(evidence({ mark: ended(0, handled) })).exitCode).toBe(0);
  });

  it('a step without a mark and without a row never began, for the reason that srun gives', () => {
    const lastWords = 'noise\nsrun: error: Unable to create step for job 7: Memory required by task is not available\n';
    expect(stepAccountOf(evidence({ code: 1, mark: NO_MARK, lastWords })).refused).toBe(
      'srun: error: Unable to create step for job 7: Memory required by task is not available',
    );
  });

  it('a step without a mark but with a row began: its mark was lost', () => {
    const account = stepAccountOf(evidence({ code: 4, mark: NO_MARK, row: row('FAILED') }));
    expect(account).toMatchObject({ exitCode: 4 });
    expect(account.refused).toBeUndefined();
  });

  it('words of the job that look like those of Slurm decide nothing if the job ended by itself', () => {
    expect(
      stepAccountOf(evidence({ code: 1, mark: ended(1), row: row('FAILED'), lastWords: exceeded })).endedBy,
    ).toBeUndefined();
  });

  it('figures of the accounting are those of the step, and a 0 is none', () => {
    const measured = row('COMPLETED', { aveCpuSeconds: 12, maxRssBytes: 1000 });
    expect(stepAccountOf(evidence({ mark: ended(0), row: measured }))).toMatchObject({
      cpuSeconds: 12,
      peakBytes: 1000,
    });
    const zeros = row('COMPLETED', { aveCpuSeconds: 0, maxRssBytes: 0 });
    expect(stepAccountOf(evidence({ mark: ended(0), row: zeros }))).toMatchObject({
      cpuSeconds: undefined,
      totalCpuSeconds: undefined,
      peakBytes: undefined,
    });
  });

  it.each([
    [12, 13.9, 13.9],
    [12, 0.1, 12],
    [0, 0.1, 0.1],
    [undefined, undefined, undefined],
  ])('a mean of %s s at the last poll and %s s at the end are %s s in all', (aveCpuSeconds, atEnd, total) => {
    const found = row('COMPLETED', { aveCpuSeconds, totalCpuSeconds: atEnd });
    expect(stepAccountOf(evidence({ mark: ended(0), row: found })).totalCpuSeconds).toBe(total);
  });
});
