import { describe, expect, it } from 'vitest';
import { parseAccount, parseStates } from './records.ts';

describe('the reply of squeue', () => {
  it('the reply of squeue has an id and a state in each line, and a word of another program between them does no harm', () => {
    const states = parseStates('12                  RUNNING             \n13 name PENDING\n14.2 RUNNING\n');
    expect([...states]).toEqual([
      [12, { state: 'running', word: 'RUNNING' }],
      [13, { state: 'queued', word: 'PENDING' }],
    ]);
  });

  it('the reply of squeue names a task of an array by its array and number, and by its own id once it started', () => {
    // squeue -r --Format jobid,state,arrayjobid,arraytaskid, Slurm 22.05.8, one-node test cluster, 2026-11-23.
    const text =
      '1     PENDING    1    4\n2     RUNNING    1    0\n3     REQUEUE_FANCY  1   1\n15    RUNNING    15    N/A\n';
    const states = [...parseStates(text)].map(([job, { state, word }]) => [job, state, word]);
    expect(states).toEqual([
      [1, 'queued', 'PENDING'],
      ['1_4', 'queued', 'PENDING'],
      [2, 'running', 'RUNNING'],
      ['1_0', 'running', 'RUNNING'],
      [3, 'unknown', 'REQUEUE_FANCY'],
      ['1_1', 'unknown', 'REQUEUE_FANCY'],
      [15, 'running', 'RUNNING'],
    ]);
  });

  it('the reply of squeue says when a job was submitted or requeued, with and without an array', () => {
    const time = '2026-11-24T05:35:19';
    const states = parseStates(`1 PENDING 1 4 ${time}\n15 RUNNING 15 N/A ${time}\n16 RUNNING\n`);
    const submittedAtMs = new Date(time).getTime();
    expect([...states]).toEqual([
      [1, { state: 'queued', word: 'PENDING', submittedAtMs }],
      ['1_4', { state: 'queued', word: 'PENDING', submittedAtMs }],
      [15, { state: 'running', word: 'RUNNING', submittedAtMs }],
      [16, { state: 'running', word: 'RUNNING' }],
    ]);
  });

  it('the reply of squeue is empty if the controller knows no job, and refused if it is no list of jobs', () => {
    expect(parseStates('\n').size).toBe(0);
    expect(() => parseStates('slurm is away today\n')).toThrow('no line with a job id and a state');
  });
});

describe('the reply of sacct', () => {
  it('the reply of sacct has jobs and their ended steps; steps without a name of a job attempt do no harm', () => {
    const { jobs, steps } = parseAccount(
      [
        '7|nodes|NODE_FAIL|0:0|00:01:00|2026-11-21T16:30:00|',
        '7.batch|batch|CANCELLED|0:15|00:01:00|2026-11-21T16:30:00|1000K',
        '7.0|wf1_j2_r3_a4|COMPLETED|0:0|00:00:10|2026-11-21T16:29:00|2M',
        '7.1|wf1_j3_r3_a1|FAILED|3:0|00:00:05|2026-11-21T16:29:30|',
        '7.2|wf1_j4_r3_a1|RUNNING|0:0|00:00:05|Unknown|',
        '8|nodes|CANCELLED by 1000|0:0|00:00:00|2026-11-21T16:30:00|',
        'a line that is cut o',
      ].join('\n'),
    );
    expect([...jobs]).toEqual([
      [7, { state: 'ended', word: 'NODE_FAIL' }],
      [8, { state: 'ended', word: 'CANCELLED by 1000' }],
    ]);
    expect([...steps.keys()]).toEqual(['wf1_j2_r3_a4', 'wf1_j3_r3_a1']);
    expect(steps.get('wf1_j2_r3_a4')).toMatchObject({ slurmJobId: 7, seconds: 10, maxRssBytes: 2 * 2 ** 20 });
    expect(steps.get('wf1_j3_r3_a1')).toMatchObject({ state: 'FAILED', exitCode: 3, signal: 0 });
  });

  it('the reply of sacct has the steps of array tasks with the id that their runner knows', () => {
    const { jobs, steps } = parseAccount(
      [
        '34_0|nodes|NODE_FAIL|0:0|00:01:00|2026-11-21T16:30:00||35',
        '34_0.0|wf1_j2_r3_a4|COMPLETED|0:0|00:00:10|2026-11-21T16:29:00|2M|35.0',
        '34_[1-2]|nodes|CANCELLED by 0|0:0|00:00:00|2026-11-21T16:30:00||34',
      ].join('\n'),
    );
    expect([...jobs].map(([job, { word }]) => [job, word])).toEqual([
      [35, 'NODE_FAIL'],
      ['34_0', 'NODE_FAIL'],
      [34, 'CANCELLED by 0'],
      ['34_1', 'CANCELLED by 0'],
      ['34_2', 'CANCELLED by 0'],
    ]);
    expect(steps.get('wf1_j2_r3_a4')).toMatchObject({ slurmJobId: 35, seconds: 10 });
  });
});
