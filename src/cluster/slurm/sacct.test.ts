import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isReadOrRefused } from '../../../tests/support/refused.ts';
import { isFinal, parseRecordedJobs, parseAccounted, parseAccountedJobs, parseAccounting } from './sacct.ts';

const MEBIBYTE = 2 ** 20;

describe('the rows of sacct', () => {
  // As Slurm 22.05.8 printed them on a cluster of one host.
  const printed = [
    'runner.sh||||||n1|RUNNING',
    'batch||||||n1|RUNNING',
    'wf42_j1_r1_a1|68548K|74584K|140.03M|80.06M|00:00:01|n1|COMPLETED|00:01.914',
    'wf42_j2_r1_a1||||||n1|CANCELLED by 0',
    'wf42_j3_r1_a1|0|0|0|0|00:00:00|n[1-2]|FAILED|00:00.007',
    '',
  ].join('\n');

  it('a row has the figures of its step in bytes and seconds, and its State without what follows', () => {
    const rows = parseAccounted(printed);
    expect(rows.get('wf42_j1_r1_a1')).toEqual({
      state: 'COMPLETED',
      maxRssBytes: 68_548 * 1024,
      maxVmSizeBytes: 74_584 * 1024,
      maxDiskReadBytes: Math.round(140.03 * MEBIBYTE),
      maxDiskWriteBytes: Math.round(80.06 * MEBIBYTE),
      aveCpuSeconds: 1,
      totalCpuSeconds: 1.914,
      nodeList: 'n1',
    });
    expect(rows.get('wf42_j2_r1_a1')).toMatchObject({
      state: 'CANCELLED',
      maxRssBytes: undefined,
      totalCpuSeconds: undefined,
    });
    expect(rows.get('wf42_j3_r1_a1')).toMatchObject({ maxRssBytes: 0, aveCpuSeconds: 0, nodeList: 'n[1-2]' });
  });

  // The text is that of a public report; others say 0, and numbers near 2^64, for cards that Slurm cannot measure.
  it.each([
    [
      'cpu=00:56:24,energy=0,fs/disk=350130624578,gres/gpumem=40777023488,gres/gpuutil=100,mem=10621726720',
      40_777_023_488,
    ],
    ['cpu=00:00:01,gres/gpumem=438M', 438 * MEBIBYTE],
    ['cpu=00:00:01,gres/gpumem=0,gres/gpuutil=0', undefined],
    ['cpu=00:00:01,gres/gpumem=18446744073709551614', undefined],
    ['cpu=00:00:01,mem=10621726720', undefined],
    ['', undefined],
  ])('the GPU memory of a step with the use "%s" is %s', (use, bytes) => {
    const rows = parseAccounted(`a|1K|1K|1M|1M|00:00:01|n1|COMPLETED|00:01.914|${use}\n`);
    expect(rows.get('a')).toMatchObject({ totalCpuSeconds: 1.914, peakGpuBytes: bytes });
  });

  it('a row without a State is a row; one with fewer fields is none', () => {
    const rows = parseAccounted('seven|1K|1K|1M|1M|00:00:01|n1\nthree|1K|1K\n');
    expect([...rows.keys()]).toEqual(['seven']);
    expect(rows.get('seven')).toMatchObject({ state: '', maxRssBytes: 1024 });
  });

  it('a field that is no figure costs none of the others', () => {
    expect(parseAccounted('a|16?|2K|1M|1M|00:00:01|n1|FAILED\n').get('a')).toMatchObject({
      maxRssBytes: undefined,
      maxVmSizeBytes: 2048,
    });
  });

  it('of a step that ran twice the last row counts', () => {
    const text = 'a|||||||NODE_FAIL\na|||||||COMPLETED\n';
    expect(parseAccounted(text).get('a')?.state).toBe('COMPLETED');
  });

  it.each([parseAccounted, parseRecordedJobs, parseAccountedJobs, parseAccounting])(
    'any text is read, or refused as an answer: %o',
    (parse) => {
      fc.assert(fc.property(fc.string(), (text) => isReadOrRefused(() => parse(text))));
    },
  );

  it.each([
    ['RUNNING', false],
    ['PENDING', false],
    ['', false],
    ['COMPLETED', true],
    ['OUT_OF_MEMORY', true],
    ['NODE_FAIL', true],
  ])('whether the State "%s" is final: %s', (state, expected) => {
    expect(isFinal({ state })).toBe(expected);
  });
});

describe('a row of sacct', () => {
  it('a row of sacct has the state of a job and how long it took', () => {
    expect(parseAccountedJobs('60|nodes|CANCELLED by 0|0:0|00:00:02|Unknown||60\n')).toEqual([
      { jobId: 60, state: 'ended', word: 'CANCELLED by 0', seconds: 2, rawId: 60 },
    ]);
  });

  it('a row of sacct stands for all tasks that were canceled before they started', () => {
    expect(
      parseAccountedJobs('23_[0-1,5]|nodes|CANCELLED by 0|0:0|00:00:00|Unknown||23').map(({ jobId }) => jobId),
    ).toEqual(['23_0', '23_1', '23_5']);
  });

  it('a row of sacct that is cut off is passed over, and refused if it is alone', () => {
    expect(() => parseAccountedJobs('60|nodes|RUNN')).toThrow('no line of the form');
    expect(parseAccountedJobs('59|nodes|RUNNING|0:0|00:01:00|Unknown||59\n60|nodes|RUNN')).toMatchObject([
      { jobId: 59 },
    ]);
  });
});

describe('the reply of sacct', () => {
  it('the reply of sacct has jobs and their ended steps; steps without a name of a job attempt do no harm', () => {
    const { jobs, steps } = parseRecordedJobs(
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
    expect([...jobs].map(([job, { state, word }]) => [job, state, word])).toEqual([
      [7, 'ended', 'NODE_FAIL'],
      [8, 'ended', 'CANCELLED by 1000'],
    ]);
    expect([...steps.keys()]).toEqual(['wf1_j2_r3_a4', 'wf1_j3_r3_a1']);
    expect(steps.get('wf1_j2_r3_a4')).toMatchObject({ slurmJobId: 7, seconds: 10, maxRssBytes: 2 * 2 ** 20 });
    expect(steps.get('wf1_j3_r3_a1')).toMatchObject({ state: 'FAILED', exitCode: 3, signal: 0 });
  });

  it('the reply of sacct has the steps of array tasks with the id that their runner knows', () => {
    const { jobs, steps } = parseRecordedJobs(
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

// sacct -P -n --format JobID,JobName,State,ExitCode,Elapsed,MaxRSS,TotalCPU,NodeList,NNodes, Slurm 22.05.8, two-node test cluster
const text = `460|wf7_4583_1|CANCELLED by 0|0:0|00:00:49||00:00.006|n1|1
460.batch|batch|CANCELLED|0:15|00:00:49|42272K|00:00.002|n1|1
460.0|wf7_j12_r1_a1|CANCELLED|0:15|00:00:49|1668K|00:01.500|n1|1
471|wf10_1007_1|CANCELLED by 0|0:0|00:00:00||00:00:00|None assigned|9
472|wf11|COMPLE`;

it('the accounting has a row for each step, and one for a job without steps, with the CPU time that was used', () => {
  const { rows, ...sums } = parseAccounting(text);
  expect(rows).toEqual([
    {
      jobId: '460',
      step: 'batch',
      state: 'CANCELLED',
      exitCode: '0:15',
      elapsedSeconds: 49,
      maxRssBytes: 42_272 * 1024,
      cpuSeconds: 0.002,
      nodes: 'n1',
    },
    expect.objectContaining({ jobId: '460', step: 'wf7_j12_r1_a1', maxRssBytes: 1668 * 1024, cpuSeconds: 1.5 }),
    expect.objectContaining({ jobId: '471', step: 'wf10_1007_1', state: 'CANCELLED', maxRssBytes: undefined }),
  ]);
  expect(sums).toEqual({ nodes: 10, nodeSeconds: 49, cpuSeconds: 0.006 });
});
