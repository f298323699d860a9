import * as fc from 'fast-check';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unchangedCompat } from '../../src/core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../../src/core/contract/sonar/encode.ts';
import type { Envelope } from '../../src/core/contract/sonar/envelope.ts';
import { formatTimestamp } from '../../src/core/contract/sonar/timestamp.ts';
import { type JobUseInWindow, jobsOf } from '../../src/telemetry/questions/jobs.ts';
import { EnvelopeReader } from '../../src/telemetry/format/envelope-reader.ts';
import { openStore } from '../../src/telemetry/store/open-store.ts';
import type { TelemetryStore } from '../../src/telemetry/store/telemetry-store.ts';
import { temporaryFolder } from '../support/programs.ts';
import { DAY, days, expectedOf, type Figure, type Said, START } from './days-of-a-job.ts';
import { PostgresServer, postgresIsMissing } from './postgres-server.ts';

const window = { from: START, until: START + 3 * DAY };

const envelopeOf = (cluster: string, { node, at, rss, gpu, util, cpuTime, cpuAvg }: Said): Envelope =>
  ({
    meta: { producer: 'sonar', version: '0.19.0' },
    data: {
      type: 'sample',
      attributes: {
        cluster,
        time: formatTimestamp(START + at),
        node,
        jobs: [
          {
            job: 7,
            user: 'ada',
            processes: [
              {
                pid: 1,
                cpu_time: cpuTime,
                cpu_avg: cpuAvg,
                resident_memory: rss,
                gpus: [{ index: 0, uuid: `${node}-A`, gpu_util: util, gpu_memory: gpu }],
              },
            ],
          },
        ],
      },
    },
  }) as unknown as Envelope;

let server: PostgresServer | undefined;
let shared: TelemetryStore | undefined;
beforeAll(async () => {
  if (postgresIsMissing !== undefined) return;
  server = await PostgresServer.start();
  shared = await openStore(await server.newDatabase());
});
afterAll(async () => {
  await shared?.close();
  await server?.stop();
});

if (postgresIsMissing !== undefined) process.stderr.write(`no store in PostgreSQL is tested: ${postgresIsMissing}\n`);

/** A cluster without data in a store of a kind. */
interface Opened {
  readonly store: TelemetryStore;
  readonly cluster: string;
  readonly close: () => Promise<void>;
}
interface Place {
  readonly open: () => Promise<Opened>;
  /** Closes its days, so that what it is asked for is in files. */
  readonly isClosed?: boolean;
  readonly runs: number;
}

async function embeddedAt(path: string): Promise<Opened> {
  const store = await openStore(path);
  return { store, cluster: 'fox', close: () => store.close() };
}

let clusters = 0;
const embedded: Place = { open: () => embeddedAt(':memory:'), runs: 150 };
const places: Readonly<Record<string, Place>> = {
  'an embedded store': embedded,
  'a store with closed days': {
    open: () => embeddedAt(join(temporaryFolder(), 'sonar.db')),
    isClosed: true,
    runs: 20,
  },
  ...(postgresIsMissing === undefined
    ? {
        PostgreSQL: {
          // A database of its own would take longer than all the rest.
          open: async () => ({
            store: shared as TelemetryStore,
            cluster: `fox${(clusters += 1)}`,
            close: async () => {},
          }),
          runs: 40,
        },
      }
    : {}),
};
const placeOf = (kind: string): Place => places[kind] as Place;

/** The only job of a store, of samples in the order in which they arrive. */
async function answered(said: readonly Said[], { open, isClosed }: Place = embedded) {
  const { store, cluster, close } = await open();
  await fill(store, cluster, said);
  if (isClosed === true) await closeDays(store);
  const use = await onlyJob(store, cluster);
  await close();
  return use;
}

/** The same when its samples are deleted. */
async function answeredWithoutSamples(said: readonly Said[], { open }: Place) {
  const { store, cluster, close } = await open();
  await fill(store, cluster, said);
  await closeDays(store);
  await store.prune(window.until);
  const use = await onlyJob(store, cluster);
  await close();
  return use;
}

async function fill(store: TelemetryStore, cluster: string, said: readonly Said[]): Promise<void> {
  await store.addCluster(cluster, 0);
  const reader = new EnvelopeReader();
  const text = said.map((each) => encodeEnvelope(envelopeOf(cluster, each), unchangedCompat)).join('\n');
  const records = [...reader.push(Buffer.from(text)), ...reader.end()];
  const results = await store.ingestEach(records, { received: START + 3 * DAY, origin: 'test' });
  expect(new Set(results).difference(new Set(['stored', 'repeated'])).size).toBe(0);
}

const closeDays = (store: TelemetryStore) =>
  Array.fromAsync(store.closeDays?.({ before: window.until, now: window.until }) ?? []);

async function onlyJob(store: TelemetryStore, cluster: string): Promise<JobUseInWindow> {
  const uses = await jobsOf(store.rows, { ...window, cluster });
  expect(uses).toHaveLength(1);
  return uses[0] as JobUseInWindow;
}

describe('the figures of a job', () => {
  it.each(Object.keys(places))(
    'the figures of a job are those that are looked up in all samples, whatever order and how often they arrive, in %s',
    async (kind) => {
      const place = placeOf(kind);
      await fc.assert(
        fc.asyncProperty(days, async ({ said, arriving }) => {
          const use = await answered(arriving, place);
          for (const [name, value] of Object.entries(expectedOf(said)))
            expect(Number(use[name as Figure]), name).toBeCloseTo(value, 2);
        }),
        { numRuns: place.runs },
      );
    },
    300_000,
  );

  it.each(Object.keys(places).slice(1))(
    'without the samples, averages stay as they were, and peaks are between the true ones and those of all nodes together, in %s',
    async (kind) => {
      const place = placeOf(kind);
      await fc.assert(
        fc.asyncProperty(days, async ({ said, arriving }) => {
          const use = await answeredWithoutSamples(arriving, place);
          const expected = expectedOf(said);
          for (const name of ['cpuSeconds', 'cpuPercent', 'gpuPercent'] as const)
            expect(Number(use[name]), name).toBeCloseTo(expected[name], 2);
          const nodes = [...Map.groupBy(said, ({ node }) => node).values()].map(expectedOf);
          for (const name of ['peakCpuPercent', 'peakMemoryKb', 'peakGpuMemoryKb'] as const) {
            const most = nodes.reduce((sum, each) => sum + each[name], 0);
            expect(Number(use[name]), name).toBeGreaterThanOrEqual(expected[name] - 0.01);
            expect(Number(use[name]), name).toBeLessThanOrEqual(most + 0.01);
          }
        }),
        { numRuns: Math.ceil(place.runs / 2) },
      );
    },
    300_000,
  );

  it.each(Object.keys(places).slice(1))(
    'a job that was seen once has a peak and an average, also without its sample, in %s',
    async (kind) => {
      const once = [at('n1', 60, 10, { cpuAvg: 70 })];
      const figures = { cpuPercent: 70, peakCpuPercent: 70, peakMemoryKb: 10, cpuSeconds: 0 };
      expect(await answered(once, placeOf(kind))).toMatchObject(figures);
      expect(await answeredWithoutSamples(once, placeOf(kind))).toMatchObject(figures);
    },
  );

  const at = (node: string, seconds: number, rss: number, more: Partial<Said> = {}): Said => ({
    node,
    at: seconds,
    rss,
    gpu: rss,
    util: 70,
    cpuTime: seconds,
    cpuAvg: 100,
    ...more,
  });

  it('a peak on two nodes is of one moment, and not the sum of what each had at another', async () => {
    const said = [at('n1', 0, 10), at('n2', 0, 1000), at('n1', 60, 1000), at('n2', 60, 10)];
    expect(await answered(said)).toMatchObject({ peakMemoryKb: 1010, peakGpuMemoryKb: 1010, gpuPercent: 140 });
  });

  it('a node that a job has left does not count any more', async () => {
    const said = [at('n1', 0, 500), at('n1', 60, 500), at('n2', 60, 100), at('n2', 120, 900), at('n2', 180, 100)];
    expect(await answered(said)).toMatchObject({ peakMemoryKb: 900 });
    expect(await answered([...said, at('n1', 120, 500)])).toMatchObject({ peakMemoryKb: 1400 });
  });

  it('the nodes of a job are in the order of their names, whichever was sampled first', async () => {
    const said = [at('n3', 0, 1), at('n1', 60, 1), at('n2', 60, 1)];
    expect(await answered(said)).toMatchObject({ nodes: ['n1', 'n2', 'n3'] });
  });

  it('the greatest CPU use on several nodes is at least the average', async () => {
    const said = [0, 60, 120].flatMap((seconds) => [at('n1', seconds, 1), at('n2', seconds, 1), at('n3', seconds, 1)]);
    expect(await answered(said)).toMatchObject({ cpuPercent: 300, peakCpuPercent: 300 });
  });
});
