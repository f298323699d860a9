import { describe, expect, it, test } from 'vitest';
import { canServe, choosePartition } from './choose-partition.ts';
import { partition } from './profile.ts';
import { parseMemoryMb } from '../core/quantity/slurm-memory.ts';
import { builtInProfiles } from './sites.ts';

const partitionsOf = (name: string) => builtInProfiles.find((profile) => profile.name === name)?.partitions ?? [];
const [H, D] = [3600, 86_400];
const needs = (cpus: number, memory: string, walltimeSeconds: number, gpus = 0) => ({
  cpus,
  memoryMb: parseMemoryMb(memory),
  walltimeSeconds,
  gpus,
});

describe('a partition serves a request', () => {
  const small = partition({ name: 'p', cpus_per_node: 104, memory_mb: 245_760, max_walltime_secs: 172_800 });
  const gpu = { ...small, cpus_per_node: 128, memory_mb: 2_097_152, gpus_per_node: 4 };

  it('a partition serves a request up to its own numbers, and not beyond any of them', () => {
    expect(canServe(small, needs(104, '240g', 172_800))).toBe(true);
    for (const more of [needs(105, '1g', H), needs(1, '300000', H), needs(1, '1g', 200_000), needs(1, '1g', H, 1)])
      expect(canServe(small, more)).toBe(false);
  });

  it('a partition serves a request with as many GPUs as a node has', () => {
    expect([2, 4, 5].map((gpus) => canServe(gpu, needs(1, '1g', H, gpus)))).toEqual([true, true, false]);
  });
});

test.each([
  ['kestrel', needs(4, '50g', H), 15, 'short'],
  ['kestrel', needs(4, '50g', 5 * H), 12, 'standard'],
  ['kestrel', needs(4, '1g', 5 * D), 6, 'long'],
  ['kestrel', needs(4, '300g', H), 6, 'medmem'],
  ['kestrel', needs(4, '1000g', H), 2, 'bigmem'],
  ['kestrel', needs(4, '1000g', 3 * D), 1, 'bigmeml'],
  ['kestrel', needs(110, '1g', H), 3, 'gpu-h100s'],
  ['kestrel', needs(4, '1g', H, 1), 4, 'gpu-h100s'],
  ['kestrel', needs(4, '1g', 5 * H, 2), 2, 'gpu-h100'],
  ['kestrel', needs(4, '1g', 72 * H, 4), 1, 'gpu-h100l'],
  ['kestrel', needs(4, '1g', H, 5), 0, undefined],
  ['kestrel', needs(4, '1g', 11 * D), 0, undefined],
  ['dane', needs(4, '1g', H), 6, 'pbatch'],
  ['dane', needs(112, '251g', 24 * H), 5, 'pbatch'],
  ['dane', needs(4, '1g', 2 * D), 2, 'pserial'],
  ['dane', needs(4, '1g', 8 * D), 1, 'pall'],
  ['dane', needs(4, '252g', H), 0, undefined],
  ['dane', needs(4, '1g', H, 1), 0, undefined],
])('on %s, for %j, %i partitions serve and the best is %s', (site, wanted, count, best) => {
  const partitions = partitionsOf(site);
  expect(partitions.filter((each) => canServe(each, wanted))).toHaveLength(count);
  expect(choosePartition(partitions, wanted)?.name).toBe(best);
});

describe('the best partition', () => {
  const of = (name: string, memory_mb: number, more = {}) =>
    partition({ name, cpus_per_node: 104, memory_mb, max_walltime_secs: D, ...more });

  it('the best partition is the one with the least memory, wherever it stands in the list', () => {
    const both = [of('bigmem', 2_000_000), of('standard', 246_064)];
    expect(choosePartition(both, needs(4, '50000', H))?.name).toBe('standard');
    expect(choosePartition(both, needs(4, '500000', H))?.name).toBe('bigmem');
    const gpus = [of('large', 500_000, { gpus_per_node: 1 }), of('small', 200_000, { gpus_per_node: 1 })];
    expect(choosePartition(gpus, needs(4, '100000', H, 1))?.name).toBe('small');
  });

  it('the best partition is the shortest of those with equal memory, so that a year is not asked for a day', () => {
    const live = [of('pall', 257_054, { max_walltime_secs: 365 * D }), of('pbatch', 257_054)];
    expect(choosePartition(live, needs(4, '8000', 24 * H))?.name).toBe('pbatch');
  });
});

test.each([
  ['100g', 102_400],
  ['1G', 1024],
  ['0.5g', 512],
  ['512m', 512],
  ['512M', 512],
  ['1024k', 1],
  ['1024', 1024],
])('a request of %s memory is %i MB', (text, mb) => {
  expect(parseMemoryMb(text)).toBe(mb);
});

test.each(['0.5m', '1t', '10gb', '', 'abc', '-1g'])('a request of "%s" memory is refused, not guessed at', (text) => {
  expect(() => parseMemoryMb(text)).toThrow(expect.objectContaining({ code: 'MEMORY_MALFORMED' }));
});
