import { expect, it } from 'vitest';
import { startPings } from '../../bench/support/pings.ts';
import { ISSUE_SIZES, type Measure, scaled, shapes } from '../../bench/support/stalls.ts';
import { startServer, temporaryFolder } from '../support/programs.ts';

/** Of the sizes at which the figures of the project are taken (`npm run bench -- stalls`). */
const FACTOR = 0.03;
/**
 * The longest that the server's main thread may work while a ping waits, and the largest part of an operation. A slice takes 10
 * to 20 ms, and a ping waits for two of them; before its functions are compiled the server is several times slower. An
 * operation that is done at once makes a ping wait for nearly all of its work.
 */
const [MOST_MS, LARGEST_PART] = [100, 0.5];
const SHAPES = ['flat', 'chain', 'star', 'fan-in', 'bipartite', 'dependency bomb', 'connections'] as const;
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
      const { result, cpuSeconds, workedMs } = await pings.during(work);
      if (NOT_HERE.test(name)) return result;
      measured.add(name);
      if (workedMs > MOST_MS && workedMs > LARGEST_PART * cpuSeconds * 1_000)
        found.set(
          name,
          `${name}: a ping waited for ${workedMs.toFixed(0)} ms of ${(cpuSeconds * 1_000).toFixed(0)} ms of work`,
        );
      return result;
    };
    await shapes[shape](server.client, scaled(ISSUE_SIZES, FACTOR), measure, server.port);
    return found;
  };

  try {
    for (const shape of SHAPES) {
      const first = await stalls(shape);
      // The memory may have been collected meanwhile: an operation that holds up others does it every time.
      const again = first.size === 0 ? first : await stalls(shape);
      expect([...first.keys()].filter((name) => again.has(name)).map((name) => again.get(name))).toEqual([]);
    }
  } finally {
    await pings.stop();
  }
  expect(measured.size).toBeGreaterThan(28);
});
