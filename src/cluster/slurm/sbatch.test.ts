import { describe, expect, it, test } from 'vitest';
import type { AskSlurm } from './programs.ts';
import { parseTested, submitScript } from './sbatch.ts';

// Slurm 22.05.8, by hand.
describe('a job that sbatch submitted to another cluster', () => {
  const submitted = (cancels: boolean) => {
    const asked: (readonly string[])[] = [];
    const ask: AskSlurm = async (program, args) => {
      asked.push([program, ...args]);
      if (program === 'scancel' && !cancels) throw new Error('no such cluster');
      return 'Submitted batch job 5 on cluster blue\n';
    };
    return { asked, answer: submitScript(ask, 'script', undefined) };
  };

  it('a job that sbatch submitted to another cluster is canceled there, and the submission is refused', async () => {
    const { asked, answer } = submitted(true);
    await expect(answer).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/job 5 to the cluster blue, .*it was canceled/),
    });
    expect(asked).toEqual([
      ['sbatch', 'script'],
      ['scancel', '-M', 'blue', '5'],
    ]);
  });

  it('where it cannot be canceled the message has the command for that', async () => {
    await expect(submitted(false).answer).rejects.toThrow('scancel -M blue 5');
  });
});

describe('the answer of sbatch --test-only', () => {
  it('the answer of sbatch --test-only contains the time at which a script would start', () => {
    const text = 'sbatch: Job 28 to start at 2026-11-23T18:55:47 using 1 processors on nodes n1 in partition debug\n';
    expect(parseTested(text)).toEqual({ kind: 'starts', atMs: Date.parse('2026-11-23T18:55:47') });
  });

  test.each([
    [
      'sbatch: error: invalid partition specified: nowhere\nallocation failure: Invalid partition name specified\n',
      'invalid partition specified: nowhere',
      true,
    ],
    ['allocation failure: Invalid feature specification\n', 'Invalid feature specification', true],
    [
      'sbatch: unrecognized option \'--nosuch=1\'\nTry "sbatch --help" for more information\n',
      "unrecognized option '--nosuch=1'",
      true,
    ],
    [
      'allocation failure: Invalid account or account/partition combination specified\n',
      'Invalid account or account/partition combination specified (yours: sacctmgr show associations user=$USER format=Account,Partition,QOS)',
      true,
    ],
    [
      "sbatch: error: QOSMaxWallDurationPerJobLimit\nallocation failure: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)\n",
      'QOSMaxWallDurationPerJobLimit: it asks for more than its account or QOS allows one job',
      true,
    ],
    [
      "sbatch: error: QOSMaxSubmitJobPerUserLimit\nallocation failure: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)\n",
      'QOSMaxSubmitJobPerUserLimit: its account or QOS is at a limit until other jobs end',
      false,
    ],
    // Also when the nodes that could run it are drained for an hour.
    [
      'allocation failure: Requested node configuration is not available\n',
      'Requested node configuration is not available',
      false,
    ],
  ])('the answer %j is a refusal: %s, final %s', (text, words, isFinal) => {
    expect(parseTested(text)).toMatchObject({ kind: 'refused', words, isFinal });
  });

  test.each([
    'Submitted batch job 7\n',
    '',
    'sbatch: error: ClusterName needs to be specified\nsbatch: fatal: Unable to process configuration file\n',
    'sbatch: error: Unable to contact slurm controller (connect failure)\nallocation failure: Unable to contact slurm controller\n',
  ])('the answer %j says nothing about the script', (text) => {
    expect(parseTested(text).kind).toBe('unknown');
  });
});
