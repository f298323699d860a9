import { expect, it } from 'vitest';
import { startPings } from '../../bench/support/pings.ts';
import { ISSUE_SIZES, type Measure, scaled, shapes } from '../../bench/support/stalls.ts';
import { startServer, temporaryFolder } from '../support/programs.ts';

/** Of the sizes at which the figures of the project are taken (`npm run bench -- stalls`). */
const FACTOR = 0.03;
/**
 * The longest that a ping may wait, and the largest part of an operation. A slice takes 10 to 20 ms; on a machine that is
 * busy with other tests it may take twenty times as long, and then so does the whole operation. An operation that is done at
 * once makes a ping wait for nearly all of it.
 */
const [MOST_MS, LARGEST_PART] = [250, 0.5];
const SHAPES = ['flat', 'chain', 'bipartite'] as const;
/** Reads and SQL of administrators are looked at elsewhere. */
const NOT_HERE = /^(list|claim|an SQL write|an event stream)/;

it('no operation on a whole workflow holds up other requests, whatever the shape of its graph', async () => {
  const server = await startServer(temporaryFolder());
  const pings = await startPings({ port: server.port, pid: server.program.child.pid as number });
  const measured = new Set<string>();

  /** The operations of a shape that held up a ping for too long. */
  const stalls = async (shape: (typeof SHAPES)[number]) => {
    const found = new Map<string, string>();
    const measure: Measure = async (name, work) => {
      const { result, seconds, longestMs } = await pings.during(work);
      if (NOT_HERE.test(name)) return result;
      measured.add(name);
      if (longestMs > MOST_MS && longestMs > LARGEST_PART * seconds * 1_000)
        found.set(name, `${name}: a ping waited ${longestMs.toFixed(0)} ms of ${(seconds * 1_000).toFixed(0)}`);
      return result;
    };
    await shapes[shape](server.client, scaled(ISSUE_SIZES, FACTOR), measure, server.port);
    return found;
  };

  try {
    for (const shape of SHAPES) {
      const first = await stalls(shape);
      // The machine may have been busy for a moment: who holds up others does it every time.
      const again = first.size === 0 ? first : await stalls(shape);
      expect([...first.keys()].filter((name) => again.has(name)).map((name) => again.get(name))).toEqual([]);
    }
  } finally {
    await pings.stop();
  }
  expect(measured.size).toBeGreaterThan(14);
}, 150_000);
