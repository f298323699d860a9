import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFinal, parseAccounted, parseStepIds, parseUses } from './steps.ts';

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

  it('any text is read without an error', () => {
    fc.assert(fc.property(fc.string(), (text) => void [parseAccounted(text), parseUses(text), parseStepIds(text, 12)]));
  });

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

it('the lines of sstat are read by step; those of other kinds and those without figures are passed over', () => {
  const uses = parseUses('12.batch|00:00:00|1K\n12.0|00:01:30|2048576K\n12.1||\n12.2|1-00:00:01|5844K\n12.3|00:0');
  expect([...uses]).toEqual([
    ['12.0', { cpuSeconds: 90, memoryBytes: 2_048_576 * 1024 }],
    ['12.2', { cpuSeconds: 86_401, memoryBytes: 5844 * 1024 }],
  ]);
});

it('the lines of squeue name the steps of jobs, without those of the allocation itself', () => {
  const ids = parseStepIds('12.2|wf42_j7_r1_a1\n12.10|wf42_j8_r1_a1\n12.batch|batch\n12.extern|extern\n', 12);
  expect([...ids]).toEqual([
    ['wf42_j7_r1_a1', '12.2'],
    ['wf42_j8_r1_a1', '12.10'],
  ]);
});

it('the lines of squeue name the steps of an array task by the array, and its own steps are found by the id of its job', () => {
  // squeue --steps -h -j 19 -o '%i|%j', Slurm 22.05.8, one-node test cluster, 2026-11-23.
  expect([...parseStepIds('17_1.0|wf42_j7_r1_a1\n17_1.batch|batch\n', 19)]).toEqual([['wf42_j7_r1_a1', '19.0']]);
});
