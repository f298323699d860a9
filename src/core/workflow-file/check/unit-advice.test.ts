import { describe, expect, it, test } from 'vitest';
import { parseMemory } from '../../quantity/bytes.ts';
import { parseDuration } from '../../quantity/duration.ts';
import { parseWalltime } from '../../quantity/slurm-time.ts';
import { read } from '../../../../tests/spec/reading.ts';
import { durationAdvice, memoryAdvice, walltimeAdvice } from './unit-advice.ts';

const here = (advice: string): string | undefined => /, here: ([^;]+);/.exec(advice)?.[1];

describe('a memory that Torc does not read is shown with one that it reads', () => {
  test.each([
    ['2 GB', '2g'],
    ['2GB', '2g'],
    ['1.5g', '1536m'],
    ['512 MiB', '512m'],
    ['0.3 g', '308m'],
    ['4000000 kb', '4000000k'],
    ['1 T', '1t'],
  ])('%s: %s', (text, meant) => {
    expect(() => parseMemory(text)).toThrow();
    expect(here(memoryAdvice('memory', text))).toBe(meant);
    expect(parseMemory(meant)).toBeGreaterThan(0);
  });

  test.each(['two', '', '-1g', '0 GB', '1e9', '99999999999999 GB'])(
    '"%s" has examples, since its meaning is unknown',
    (text) => {
      expect(memoryAdvice('memory', text)).toBe(
        `\`memory\` must be a whole number and k, m, g or t, such as 512m or 2g; found "${text}"`,
      );
    },
  );
});

describe('a duration that Torc does not read is shown with one that it reads', () => {
  test.each([
    ['5m', 'PT5M'],
    ['90 min', 'PT1H30M'],
    ['1h30m', 'PT1H30M'],
    ['1h 30m', 'PT1H30M'],
    ['2 hours', 'PT2H'],
    ['1:00:00', 'PT1H'],
    ['30:00', 'PT30M'],
    ['1-12:00:00', 'P1DT12H'],
    ['1d', 'P1D'],
    ['pt5m', 'PT5M'],
  ])('%s: %s', (text, meant) => {
    expect(() => parseDuration(text)).toThrow();
    expect(here(durationAdvice('runtime', text))).toBe(meant);
    expect(parseDuration(meant)).toBeGreaterThan(0);
  });

  test.each(['90', 'long', '', '5 fortnights', '5m junk', 'P'])('"%s" has examples', (text) => {
    expect(durationAdvice('runtime', text)).toContain('such as PT5M (5 minutes) or PT2H30M');
  });
});

test.each([
  ['2h', '02:00:00'],
  ['PT1H30M', '01:30:00'],
  ['P1DT12H', '1-12:00:00'],
])('a walltime of %s is explained as %s', (text, meant) => {
  expect(() => parseWalltime(text)).toThrow();
  expect(here(walltimeAdvice('walltime', text))).toBe(meant);
  expect(parseWalltime(meant)).toBeGreaterThan(0);
});

describe('in a workflow file', () => {
  const problems = (requirements: object, scheduler: object = {}) =>
    read({
      resource_requirements: [{ name: 'r', num_cpus: 1, memory: '1g', ...requirements }],
      slurm_schedulers: [{ name: 's', account: 'a', ...scheduler }],
    }).problems.map(({ code, severity, message, plain }) => [code, severity, plain ?? message]);

  it('memory, runtime, walltime and mem are refused with what to write', () => {
    expect(problems({ memory: '2 GB', runtime: '5m' }, { walltime: '2h', mem: '64 GB' })).toEqual([
      ['REQUIREMENT_REFUSED', 'error', '`memory` must be a whole number and k, m, g or t, here: 2g; found "2 GB"'],
      ['REQUIREMENT_REFUSED', 'error', '`runtime` must be an ISO 8601 duration, here: PT5M; found "5m"'],
      ['RESOURCES_SHORT', 'warning', '`walltime` must be HH:MM:SS or D-HH:MM:SS, here: 02:00:00; found "2h"'],
      ['RESOURCES_SHORT', 'warning', '`mem` must be a whole number and k, m, g or t, here: 64g; found "64 GB"'],
    ]);
  });

  it('a memory of a few bytes and a runtime of months are warned about, and larger ones are not', () => {
    expect(problems({ memory: '2', runtime: 'P5M' })).toEqual([
      ['UNIT_DOUBTFUL', 'warning', '`memory: 2` means 2 bytes; write 2m for MiB or 2g for GiB'],
      ['UNIT_DOUBTFUL', 'warning', '`runtime: P5M` means 5 months; write PT5M for minutes'],
    ]);
    expect(problems({ memory: '2000000000', runtime: 'PT5M' })).toEqual([]);
  });
});
