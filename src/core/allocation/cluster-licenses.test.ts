import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asksForLicenses, heldByAllocation, licenseList, licenseNamed, licensesToAsk } from './cluster-licenses.ts';

const license = (name: string, total: number, used = 0) => ({ name, total, used });
const UNKNOWN = { cpus: Infinity, memoryBytes: Infinity, gpus: Infinity };
const jobs = (count: number, licenses: Record<string, number>, num_cpus = 1) => ({
  jobs: count,
  need: { num_cpus, memory_bytes: 100, num_gpus: 0, num_nodes: 1, runtime_seconds: 60, licenses },
});
const limit = (name: string, most: number) => ({ scope: 'workflow' as const, name, most, held: 0 });

describe('the licenses of an allocation', () => {
  const cluster = [license('matlab', 4), license('ansys@srv', 2)];
  it.each([
    ['as many as its jobs hold together', { licensed: [jobs(2, { matlab: 1 })] }, { matlab: 2 }],
    ['no more than there are', { licensed: [jobs(9, { matlab: 1 })] }, { matlab: 4 }],
    [
      'no more than fit beside each other',
      { licensed: [jobs(9, { matlab: 1 })], room: { ...UNKNOWN, cpus: 3 } },
      { matlab: 3 },
    ],
    ['no more than limits allow', { licensed: [jobs(9, { matlab: 1 })], limits: [limit('matlab', 2)] }, { matlab: 2 }],
    [
      'what one job needs, whatever a limit says',
      { licensed: [jobs(1, { matlab: 3 })], limits: [limit('matlab', 2)] },
      { matlab: 3 },
    ],
    ['those by the name of their server', { licensed: [jobs(1, { ansys: 2 })] }, { 'ansys@srv': 2 }],
    ['none that the cluster does not know', { licensed: [jobs(1, { fileserver: 1 })] }, {}],
    [
      'none for a job that needs more than there are',
      { licensed: [jobs(1, { matlab: 5 }), jobs(1, { matlab: 1 })] },
      { matlab: 1 },
    ],
  ])('an allocation asks for %s', (_, given, asked) => {
    expect(licensesToAsk({ limits: [], cluster, room: UNKNOWN, ...given })).toEqual(asked);
  });

  it('an allocation never asks for more licenses than the cluster has, and for enough for each job that it has enough for', () => {
    const kind = fc.record({
      count: fc.integer({ min: 1, max: 9 }),
      each: fc.integer({ min: 1, max: 6 }),
      cpus: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(
        fc.array(kind, { maxLength: 4 }),
        fc.integer({ min: 1, max: 6 }),
        fc.nat(8),
        fc.nat(6),
        (kinds, total, cpus, most) => {
          const licensed = kinds.map(({ count, each, cpus: own }) => jobs(count, { m: each }, own));
          const asked = licensesToAsk({
            licensed,
            limits: [limit('m', most)],
            cluster: [license('m', total)],
            room: { ...UNKNOWN, cpus },
          });
          const possible = kinds.map(({ each }) => each).filter((each) => each <= total);
          if (possible.length === 0) {
            expect(asked).toEqual({});
            return;
          }
          expect(asked['m']).toBeLessThanOrEqual(total);
          expect(asked['m']).toBeGreaterThanOrEqual(Math.max(...possible));
        },
      ),
    );
  });
});

it('a license of several servers is none of them, and one name beats that of a server', () => {
  expect(licenseNamed('ansys', [license('ansys@a', 1), license('ansys@b', 1)])).toBeUndefined();
  expect(licenseNamed('ansys', [license('ansys@a', 1), license('ansys', 7)])?.total).toBe(7);
});

it('what an allocation holds counts by both names that jobs may have for it', () => {
  expect(heldByAllocation({ 'ansys@srv': 2, matlab: 1 })).toEqual({ 'ansys@srv': 2, ansys: 2, matlab: 1 });
  expect(heldByAllocation({})).toEqual({});
  expect(licenseList({ 'ansys@srv': 2, matlab: 1 })).toBe('ansys@srv:2,matlab:1');
});

it.each([
  [{ licenses: 'matlab:4' }, null, true],
  [{}, '--mail-type=END -L matlab:4', true],
  [{}, '--licenses=matlab', true],
  [{}, '--Licensed', false],
  [{ mem: '4g' }, undefined, false],
])('options of sbatch %j and "%s" ask for licenses themselves: %s', (defaults, extra, asks) => {
  expect(asksForLicenses(defaults, extra)).toBe(asks);
});
