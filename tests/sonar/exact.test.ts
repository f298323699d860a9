import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TelemetryQuestion } from '../../src/core/contract/routes/telemetry.ts';
import { unchangedCompat } from '../../src/core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../../src/core/contract/sonar/encode.ts';
import type { Envelope, MessageType } from '../../src/core/contract/sonar/envelope.ts';
import { GREATEST_UINT as GREATEST } from '../../src/core/contract/sonar/extended-uint.ts';
import { readSonarJson } from '../../src/core/contract/sonar/read-json.ts';
import { formatTimestamp } from '../../src/core/contract/sonar/timestamp.ts';
import { EnvelopeReader } from '../../src/telemetry/format/envelope-reader.ts';
import { answerQuestion } from '../../src/telemetry/questions/answer.ts';
import { openStore } from '../../src/telemetry/store/open-store.ts';
import type { TelemetryStore } from '../../src/telemetry/store/telemetry-store.ts';
import { temporaryFolder, torc } from '../support/programs.ts';
import { PostgresServer, postgresIsMissing } from './postgres-server.ts';
import { v2Answers } from './v2-answers.ts';

/** 2026-03-01T00:00:00Z. */
const START = 1_772_323_200;
const DAY = 86_400;
const at = (seconds: number): string => formatTimestamp(START + seconds);

const message = (type: MessageType, attributes: object): string =>
  encodeEnvelope(
    {
      meta: { producer: 'torc', version: '1' },
      data: { type, attributes: { cluster: 'fox', ...attributes } },
    } as Envelope,
    unchangedCompat,
  );

/** Two amounts of more than 53 bits, whose sum has fewer than 64. */
const [ODD, LESS] = [2n ** 63n + 1n, 2n ** 62n + 2n];
const card = (amount: bigint) => ({
  index: GREATEST,
  uuid: 'GPU-A',
  failing: GREATEST,
  fan: GREATEST,
  memory: amount,
  ce_util: GREATEST,
  memory_util: GREATEST,
  power: GREATEST,
  power_limit: GREATEST,
  ce_clock: GREATEST,
  memory_clock: GREATEST,
});
const processOf = (pid: number | bigint, amount: bigint, cpuTime: number | bigint) => ({
  pid,
  ppid: GREATEST,
  cmd: 'burn <defunct>',
  resident_memory: amount,
  virtual_memory: amount,
  num_threads: amount,
  data_read: amount,
  data_written: amount,
  data_cancelled: amount,
  cpu_time: cpuTime,
  gpus: [{ index: GREATEST, uuid: 'GPU-A', gpu_memory: amount, gpu_util: 1 }],
});

/** One job has the greatest amounts, and a second process that makes its sums greater still; one has the sums of two; one counts to the greatest. */
const messages = [
  message('sysinfo', {
    time: at(0),
    node: 'n1',
    sockets: GREATEST,
    cores_per_socket: 1,
    threads_per_core: 1,
    memory: GREATEST,
    cards: [{ index: GREATEST, uuid: 'GPU-A', memory: GREATEST, max_power_limit: GREATEST }],
  }),
  message('job', {
    time: at(0),
    slurm_jobs: [
      {
        job_id: 7,
        job_state: 'RUNNING',
        user_name: 'ada',
        submit_time: at(0),
        start_time: at(0),
        nodes: ['n1'],
        requested_memory_per_node: GREATEST,
        priority: GREATEST,
        sacct: { MaxRSS: GREATEST, UserCPU: GREATEST },
      },
    ],
  }),
  ...[0, 300].map((seconds) =>
    message('sample', {
      time: at(seconds),
      node: 'n1',
      system: {
        cpus: [seconds === 0 ? 0 : GREATEST],
        used_memory: GREATEST,
        gpus: [card(GREATEST)],
        disks: [{ name: 'sda', major: GREATEST, minor: GREATEST, stats: [seconds === 0 ? 0 : GREATEST] }],
      },
      jobs: [
        { job: 7, user: 'ada', processes: [processOf(GREATEST, GREATEST, GREATEST), processOf(2, 5n, 1)] },
        { job: 8, user: 'ada', processes: [processOf(3, ODD, ODD), processOf(4, LESS, LESS)] },
        { job: 9, user: 'ada', processes: [processOf(5, 1n, seconds === 0 ? 0 : GREATEST)] },
      ],
    }),
  ),
];

async function filled(address: string): Promise<TelemetryStore> {
  const store = await openStore(address);
  await store.addCluster('fox', 0);
  const reader = new EnvelopeReader();
  const records = [...reader.push(Buffer.from(messages.join('\n'))), ...reader.end()];
  const results = await store.ingestEach(records, { received: START + 400, origin: 'test' });
  expect(results).toEqual(messages.map(() => 'stored'));
  return store;
}

const QUESTIONS: readonly (readonly [question: TelemetryQuestion, parameters: Readonly<Record<string, string>>])[] = [
  ['jobs', {}],
  ['load', {}],
  ['nodes', {}],
  ['cards', {}],
  ['profile', { job: '7', every: '0', processes: 'true' }],
  ['profile', { job: '8', every: '3600' }],
  ['profile', { job: '9' }],
  ...['users', 'zombies', 'greedy'].map((kind) => ['report', { kind }] as const),
];

const textOf = async (
  store: TelemetryStore,
  question: TelemetryQuestion,
  parameters: Readonly<Record<string, string>>,
) => {
  const all = { from: at(-60), to: at(DAY), ...parameters };
  const task = { kind: 'ask', question, parameters: all, onlyUser: undefined } as const;
  return (await answerQuestion(store, task, START + DAY)).text;
};

interface JobAnswer {
  readonly job: number;
  readonly cpu_seconds: number | bigint;
  readonly peak_memory_kb: number | bigint;
  readonly peak_gpu_memory_kb: number | bigint;
}

const jobsIn = async (store: TelemetryStore) => {
  const { items } = readSonarJson(await textOf(store, 'jobs', {})) as { items: JobAnswer[] };
  return items
    .toSorted((one, other) => one.job - other.job)
    .map(({ job, cpu_seconds: cpu, peak_memory_kb: memory, peak_gpu_memory_kb: gpu }) => [job, cpu, memory, gpu]);
};

const sums = [
  [7, 0, GREATEST, GREATEST],
  [8, 0, ODD + LESS, ODD + LESS],
  [9, GREATEST, 1, 1],
];

/** Everything that a store answers. */
async function answers(store: TelemetryStore) {
  const replies = [];
  for (const [question, parameters] of QUESTIONS)
    replies.push([question, parameters, readSonarJson(await textOf(store, question, parameters))]);
  const about = { cluster: 'fox', node: 'n1', from: START - 60, until: START + 3600, now: START + 3600 };
  return [replies, await v2Answers(store, { ...about, job: 7, epoch: 0 })];
}

/** Integers that only bigints hold, other than those that went in, their sums and the mean of 0 and the greatest one: digits were lost in these. */
function strangers(value: unknown, name = ''): unknown[] {
  // Percentages are doubles.
  if (/percent$|_util$/.test(name)) return [];
  const mean = (GREATEST + 1n) / 2n;
  const known = new Set([GREATEST, GREATEST - 2n, ODD, LESS, ODD + LESS, mean]);
  if (typeof value === 'bigint') return known.has(value) ? [] : [[name, value]];
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? [[name, value]] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([each, inner]) => strangers(inner, each));
}

let server: PostgresServer | undefined;
beforeAll(async () => {
  if (postgresIsMissing === undefined) server = await PostgresServer.start();
});
afterAll(() => server?.stop());

if (postgresIsMissing !== undefined) process.stderr.write(`no store in PostgreSQL is tested: ${postgresIsMissing}\n`);

/** Stores with the same envelopes; all but the first can close days. */
const stores: Readonly<Record<string, () => Promise<TelemetryStore>>> = {
  'an embedded store': () => filled(':memory:'),
  'a store with closed days': async () => {
    const store = await filled(join(temporaryFolder(), 'sonar.db'));
    const closed = await Array.fromAsync(store.closeDays?.({ before: START + DAY, now: START + DAY }) ?? []);
    expect(closed).toMatchObject([{ samples: 2 }]);
    return store;
  },
  ...(postgresIsMissing === undefined
    ? { 'a store in PostgreSQL': async () => filled((await server?.newDatabase()) ?? '') }
    : {}),
};

it.each(Object.keys(stores))(
  '%s answers 2^64 - 1 and exact sums with all digits, and a greater sum is 2^64 - 1',
  async (kind) => {
    const store = await (stores[kind] as () => Promise<TelemetryStore>)();
    expect(await jobsIn(store)).toEqual(sums);
    const found = await answers(store);
    expect(strangers(found)).toEqual([]);
    const embedded = await filled(':memory:');
    expect(found).toEqual(await answers(embedded));
    await embedded.close();
    await store.close();
  },
);

it.each(Object.keys(stores).slice(1))('%s knows 2^64 - 1 also from hours whose samples are deleted', async (kind) => {
  const store = await (stores[kind] as () => Promise<TelemetryStore>)();
  await Array.fromAsync(store.closeDays?.({ before: START + DAY, now: START + DAY }) ?? []);
  expect(await store.prune(START + DAY)).toBeGreaterThan(0);
  const [seven, eight = [], nine] = await jobsIn(store);
  expect([seven, nine]).toEqual([sums[0], sums[2]]);
  // Hours in PostgreSQL have doubles.
  expect(eight.map(Number)).toEqual(sums[1]?.map(Number));
  await store.close();
});

it('the command line prints 2^64 - 1 with all digits, as JSON and as CSV', async () => {
  const cwd = temporaryFolder();
  const input = messages.join('\n');
  expect((await torc(['sonar', 'ingest', '-', '--add-clusters'], { cwd, input })).code).toBe(0);
  const show = async (...words: string[]) =>
    (await torc(['sonar', 'show', ...words, '--from', '2026-03-01', '--to', '2026-03-02'], { cwd })).stdout;
  expect(await show('jobs', '-f', 'json')).toContain(`"peak_memory_kb": ${GREATEST}`);
  expect(await show('jobs', '-f', 'csv')).toContain(`,${GREATEST},`);
  expect(await show('cards', '-f', 'csv')).toContain(`n1,${GREATEST},,GPU-A,${GREATEST},${GREATEST},`);
  expect(await show('profile', '8', '-f', 'json')).toContain(`"memory_kb": ${ODD + LESS}`);
});
