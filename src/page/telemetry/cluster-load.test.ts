import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProfileStep, TelemetryLoad, TelemetryNode } from '../../core/contract/telemetry.ts';
import { loadWords, nodeLoads } from './cluster-load.ts';
import { levelOf, pathsOf } from './heat-cells.ts';
import { stepOf, sumsOver } from './profile-sums.ts';

const HOUR_MS = 3_600_000;
const BEGIN = Date.parse('2026-03-01T00:00:00Z');
const at = (hour: number) => new Date(BEGIN + hour * HOUR_MS).toISOString();

const facts = (node: string): TelemetryNode => ({
  cluster: 'c',
  node,
  cores: 4,
  memory_kb: 0,
  cards: 0,
  model: '',
  system: '',
  states: [],
  partitions: [],
  sampled: null,
});
const step = (node: string, hour: number, cpu: number | null, more: Partial<TelemetryLoad> = {}): TelemetryLoad => ({
  cluster: 'c',
  node,
  time: at(hour),
  samples: 6,
  cores: 4,
  cpu_of_node_percent: cpu,
  memory_of_node_percent: 20,
  used_memory_kb: 1,
  load1: 1,
  cards: 0,
  gpu_percent: 0,
  gpu_memory_kb: 0,
  ...more,
});
const asked = (measure: 'cpu' | 'memory' | 'gpu') =>
  ({ measure, fromMs: BEGIN, untilMs: BEGIN + 3 * HOUR_MS, stepMs: HOUR_MS }) as const;

describe('the map of a cluster', () => {
  it('nodes stand in the order of people, with those that sent nothing, and each has a cell for each hour', () => {
    const { nodes, columns } = nodeLoads(
      [facts('c10'), facts('c2'), facts('silent')],
      [step('c2', 0, 50), step('c2', 2, 70), step('c10', 1, null)],
      asked('cpu'),
    );
    expect(columns.map(({ fromMs }) => fromMs)).toEqual([0, 1, 2].map((hour) => BEGIN + hour * HOUR_MS));
    expect(nodes.map(({ node, cells }) => [node, cells])).toEqual([
      ['c2', [50, undefined, 70]],
      ['c10', [undefined, undefined, undefined]],
      ['silent', [undefined, undefined, undefined]],
    ]);
    expect(loadWords(nodes, 'cpu', () => 'then')).toBe(
      'CPU of 1 node: on average 60 %, at most 70 % (c2, then). 1 of 3 nodes sent no samples.',
    );
  });

  it('a node without cards has no use of GPUs, and one whose cards are idle has 0 %', () => {
    const { nodes } = nodeLoads([], [step('a', 0, 1), step('b', 0, 1, { cards: 2 })], asked('gpu'));
    expect(nodes.map(({ mean }) => mean.gpu)).toEqual([undefined, 0]);
    expect(loadWords(nodes.slice(0, 1), 'gpu', String)).toBe('No use of GPU was measured in this time.');
  });

  it('samples outside of the time that is shown are in no cell', () => {
    const { nodes } = nodeLoads([], [step('a', -1, 99), step('a', 3, 99), step('a', 1, 5)], asked('cpu'));
    expect(nodes[0]?.cells).toEqual([undefined, 5, undefined]);
  });

  it('the paths of the levels cover each cell that has a value once, with its level, and no other', () => {
    const cell = fc.option(fc.double({ min: -5, max: 250, noNaN: true }), { nil: undefined });
    const rows = fc
      .integer({ min: 0, max: 12 })
      .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 8 }));
    fc.assert(
      fc.property(rows, (map) => {
        const covered = map.map((cells) => cells.map(() => [] as number[]));
        for (const [level, path] of pathsOf({ rows: map }).entries())
          for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
            for (let column = Number(x); column < Number(x) + Number(width); column += 1)
              covered[Number(y)]?.[column]?.push(level);
        expect(covered).toEqual(
          map.map((cells) => cells.map((percent) => (percent === undefined ? [] : [levelOf(percent)]))),
        );
      }),
    );
  });
});

const ofNode = (node: string, seconds: number, cpu: number): ProfileStep => ({
  time: new Date(BEGIN + seconds * 1000).toISOString(),
  node,
  processes: 1,
  cpu_percent: cpu,
  cpu_seconds: 0,
  memory_kb: 10,
  gpu_percent: 0,
  gpu_memory_kb: 0,
});

describe('the profile of a job on several nodes', () => {
  it('samples that nodes take at times of their own are added up where they are of one step', () => {
    const steps = [ofNode('a', 0, 100), ofNode('b', 20, 300), ofNode('a', 60, 200), ofNode('b', 80, 100)];
    expect(stepOf({ every_seconds: 0, steps, attempts: [] })).toBe(20);
    expect(sumsOver(steps, 60_000).map(({ cpus, bytes }) => [cpus, bytes])).toEqual([
      [4, 20_480],
      [3, 20_480],
    ]);
  });

  it('two samples of one node in a step are one, their average, and not their sum', () => {
    expect(sumsOver([ofNode('a', 0, 100), ofNode('a', 30, 300)], 60_000).map(({ cpus }) => cpus)).toEqual([2]);
  });
});
