import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../../src/core/contract/routes.ts';
import { type TelemetryQuestion, telemetryRoutes } from '../../src/core/contract/routes/telemetry.ts';
import { unchangedCompat } from '../../src/core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../../src/core/contract/sonar/encode.ts';
import type { Envelope } from '../../src/core/contract/sonar/envelope.ts';
import { readSonarJson } from '../../src/core/contract/sonar/read-json.ts';
import { PgConnection } from '../../src/telemetry/store/postgres/connection.ts';
import { PostgresUnusable, StoreAway } from '../../src/telemetry/store/postgres/errors.ts';
import { migratePostgres } from '../../src/telemetry/store/postgres/migrate.ts';
import { migrations } from '../../src/telemetry/store/postgres/migrations.ts';
import type { AttemptLink } from '../../src/telemetry/store/rows/records.ts';
import { EnvelopeReader, type EnvelopeRecord } from '../../src/telemetry/format/envelope-reader.ts';
import { answerQuestion } from '../../src/telemetry/questions/answer.ts';
import { openStore } from '../../src/telemetry/store/open-store.ts';
import type { PlacedColumn } from '../../src/telemetry/store/tables.ts';
import type { TelemetryStore } from '../../src/telemetry/store/telemetry-store.ts';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';
import { random } from '../support/random.ts';
import { everyField } from './every-field.ts';
import { PostgresServer, postgresIsMissing } from './postgres-server.ts';
import { DAY, messagesOfTwoDays, START } from './two-days.ts';
import { v2Answers } from './v2-answers.ts';

/** Both stores of telemetry, with the same envelopes and the same questions. */

const options = { received: START + 2 * DAY, origin: 'test' };
const written = (envelope: Envelope): string => encodeEnvelope(envelope, unchangedCompat);
const everyText = Object.values(everyField).map(written);
/** PostgreSQL stores no NUL character; everything else of the format it does. */
const withoutNul = everyText.map((text) => text.replaceAll(String.raw`\u0000`, ''));

function recordsIn(...texts: readonly string[]): EnvelopeRecord[] {
  const reader = new EnvelopeReader();
  return [...reader.push(Buffer.from(texts.join('\n'))), ...reader.end()];
}

async function exported(store: TelemetryStore, selection = {}): Promise<string[]> {
  const texts: string[] = [];
  for await (const { envelope } of store.envelopes(selection)) texts.push(written(envelope));
  return texts;
}

const QUESTIONS: readonly (readonly [question: TelemetryQuestion, parameters: Readonly<Record<string, string>>])[] = [
  ['clusters', {}],
  ['jobs', {}],
  ['jobs', { node: 'n1', cluster: 'fox.test' }],
  ['load', { every: '3600' }],
  ['load', { every: '86400', node: 'n2.fox.test' }],
  ['profile', { job: '101' }],
  ['profile', { job: '18446744073709551615', every: '600' }],
  ['profile', { job: '7', epoch: '3' }],
  ['profile', { job: '101', every: '0', processes: 'true' }],
  ['profile', { job: '101', every: '3600' }],
  ['profile', { job: '18446744073709551615', every: '43200', node: 'n1' }],
  ['uptime', {}],
  ['nodes', {}],
  ['cards', {}],
  ['queue', {}],
  ...['hogs', 'idle-gpu', 'zombies', 'greedy', 'users', 'commands'].map((kind) => ['report', { kind }] as const),
];

const shapeOf = (question: TelemetryQuestion): Route['reply'] =>
  Object.values(telemetryRoutes).find(({ path }) => path === `/sonar/show/${question}`)?.reply as Route['reply'];

/** What the store answers to everything that can be asked, and what it exports. */
async function answers(store: TelemetryStore): Promise<unknown[]> {
  const window = { from: '2026-02-28T00:00:00Z', to: '2026-03-04T00:00:00Z' };
  const replies = [];
  for (const [question, parameters] of QUESTIONS)
    for (const onlyUser of question === 'jobs' ? [undefined, 'ada'] : [undefined]) {
      const task = { kind: 'ask', question, parameters: { ...window, ...parameters }, onlyUser } as const;
      const { status, text } = await answerQuestion(store, task, START + 3 * DAY);
      expect({ question, status }).toEqual({ question, status: 200 });
      // Nothing is missing in the table of routes, nothing is wrong, and nothing is said besides.
      expect(shapeOf(question).parse(JSON.parse(text))).toEqual(JSON.parse(text));
      replies.push([question, parameters, onlyUser, readSonarJson(text)]);
    }
  const { rows } = store;
  const all = { from: START - DAY, until: START + 3 * DAY };
  // The number of an envelope is that of its arrival.
  const portions = async (source: AsyncIterable<readonly object[]>) =>
    (await Array.fromAsync(source)).flat().map((row) => ({ ...row, envelope: 0 }));
  const about = { cluster: 'fox.test', node: 'n1', from: START - DAY, until: all.until, now: all.until };
  return [
    ...replies,
    await v2Answers(store, { ...about, job: 101, epoch: 0 }),
    (await exported(store)).toSorted(),
    await portions(rows.cardSamples(all)),
    await portions(rows.diskSamples(all)),
    (await rows.slurmJobs(all)).toSorted((one, other) => Number(one.job) - Number(other.job)),
    await rows.slurmJob('fox.test', 101),
    await rows.links(undefined, { job: 101 }),
    await rows.clusterState('fox.test', START + DAY),
  ];
}

/** What is answered from hours, with equal things in one order; averages over samples are none of hours. */
async function hourAnswers(store: TelemetryStore): Promise<unknown[]> {
  const window = { from: '2026-02-28T00:00:00Z', to: '2026-03-04T00:00:00Z' };
  const asked = QUESTIONS.filter(([question]) => ['jobs', 'load', 'profile', 'uptime', 'nodes'].includes(question));
  const replies = [];
  for (const [question, parameters] of asked) {
    const task = { kind: 'ask', question, parameters: { ...window, ...parameters }, onlyUser: undefined } as const;
    const { status, text } = await answerQuestion(store, task, START + 3 * DAY);
    expect({ question, status }).toEqual({ question, status: 200 });
    const reply = JSON.parse(text) as { readonly items?: readonly object[] };
    const items = reply.items?.map((item) => JSON.stringify(item)).toSorted();
    replies.push({
      question,
      ...reply,
      ...(question === 'jobs' && items !== undefined
        ? { items: items.map((item) => JSON.parse(item) as unknown) }
        : {}),
    });
  }
  return replies;
}

const closedDays = async (store: TelemetryStore, before: number): Promise<string[]> =>
  (await Array.fromAsync(store.closeDays?.({ before, now: before }) ?? [])).map(
    ({ day, cluster }) => `${day} ${cluster}`,
  );

const links: readonly AttemptLink[] = [1, 2, 3].map((pid) => ({
  cluster: pid === 3 ? 'unknown' : 'fox.test',
  node: 'n1.fox.test',
  job: 101,
  epoch: 0,
  pid,
  start: 2n ** 64n - 1n,
  time: START + pid,
  workflow: 1,
  workflowJob: pid,
  run: 1,
  attempt: 1,
  slurmJob: 101,
  step: '0',
}));

const shuffled = <Item>(items: readonly Item[], seed: number): Item[] => {
  const next = random(seed);
  return items
    .map((item) => ({ item, at: next() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
};

async function withClusters(store: TelemetryStore): Promise<TelemetryStore> {
  for (const name of ['fox.test', 'wolf.test']) await store.addCluster(name, 0);
  return store;
}

/** The answers of an embedded store that was given everything once and in order. */
async function cleanAnswers(): Promise<unknown[]> {
  const store = await withClusters(await openStore(':memory:'));
  await store.ingestEach(recordsIn(...messagesOfTwoDays()), options);
  await store.addLinks(links);
  const found = await answers(store);
  await store.close();
  return found;
}

it('an ingest that is killed twenty times within its transactions leaves the answers of one that was not', async () => {
  const cwd = temporaryFolder();
  const path = join(cwd, 'sonar.db');
  await (await withClusters(await openStore(path))).close();
  const program = join(import.meta.dirname, 'ingest-and-die.ts');
  const next = random(11);
  const stored: number[] = [];
  for (let kill = 0; kill < 20; kill++) {
    const processes = 1 + Math.floor(next() * 40);
    const { signal } = spawnSync(process.execPath, [program, path, String(processes)], {
      env: { ...process.env, NODE_COMPILE_CACHE: join(cwd, 'compiled') },
    });
    expect(signal).toBe('SIGKILL');
    const store = await openStore(path, { isReadOnly: true });
    stored.push((await exported(store)).length);
    await store.close();
  }
  // Each ingest went on where the one before had ended, and nothing that was stored went away.
  expect(stored).toEqual(stored.toSorted((one, other) => one - other));
  expect(new Set(stored).size).toBeGreaterThan(3);
  const store = await openStore(path);
  await store.ingestEach(recordsIn(...messagesOfTwoDays()), options);
  await store.addLinks(links);
  expect(await answers(store)).toEqual(await cleanAnswers());
  await store.close();
});

if (postgresIsMissing !== undefined) process.stderr.write(`no store in PostgreSQL is tested: ${postgresIsMissing}\n`);

const kinds = ['an embedded store', ...(postgresIsMissing === undefined ? ['a store in PostgreSQL'] : [])];
let server: PostgresServer | undefined;
beforeAll(async () => {
  if (postgresIsMissing === undefined) server = await PostgresServer.start();
});
afterAll(() => server?.stop());
const postgres = (): PostgresServer => server as PostgresServer;

describe.each(kinds)('%s', (kind) => {
  const isPostgres = kind.includes('PostgreSQL');
  const opened = async (): Promise<TelemetryStore> =>
    withClusters(await openStore(isPostgres ? await postgres().newDatabase() : ':memory:'));

  it(`${kind} gives every field of the format as it went in, once`, async () => {
    const store = await opened();
    const texts = isPostgres ? withoutNul : everyText;
    expect(await store.ingestEach(recordsIn(...texts), options)).toEqual(texts.map(() => 'stored'));
    expect(await store.ingestEach(recordsIn(...texts), options)).toEqual(texts.map(() => 'repeated'));
    expect((await exported(store)).toSorted()).toEqual(texts.toSorted());
    expect(await exported(store, { types: ['sysinfo'], node: 'c1-2', cluster: 'fox.test' })).toHaveLength(1);
    expect(await exported(store, { node: 'c1' })).toEqual([]);
    await store.close();
  });

  it(`${kind} answers alike whatever the order of envelopes was, and however often they came`, async () => {
    const store = await opened();
    const texts = messagesOfTwoDays();
    const often = shuffled([...texts, ...texts], 7);
    for (let at = 0; at < often.length; at += 90)
      await store.ingestEach(recordsIn(...often.slice(at, at + 90)), options);
    expect([await store.addLinks(links), await store.addLinks(links)]).toEqual([2, 0]);
    expect(await answers(store)).toEqual(await cleanAnswers());
    await store.close();
  });

  it(`${kind} keeps unknown members, idle samples, jobs without processes and errors, and no token`, async () => {
    const store = await opened();
    const meta = { producer: 'p', version: '1', colour: 'red' };
    const head = { time: '2026-03-01T00:00:00+00:00', cluster: 'fox.test', node: 'n' };
    const texts = [
      { meta, data: { type: 'sample', attributes: { ...head, jobs: [] } }, zappa: [{ a: 1 }] },
      {
        meta,
        data: { type: 'sample', attributes: { ...head, jobs: [{ job: 1, user: 'u', processes: [], hot: 'rats' }] } },
      },
      { meta, errors: [{ time: head.time, detail: 'd', cluster: 'fox.test', node: 'n' }] },
    ].map((each) => written(each as unknown as Envelope));
    const sent = texts.map((text) => text.replace('"version"', '"token":"hush","version"'));
    expect(await store.ingestEach(recordsIn(...sent), options)).toEqual(['stored', 'stored', 'stored']);
    expect((await exported(store)).toSorted()).toEqual(texts.toSorted());
    await store.close();
  });

  it(`${kind} quarantines what it cannot use, and refuses clusters that were not added`, async () => {
    const store = await opened();
    const [good = ''] = messagesOfTwoDays();
    const records = recordsIn(good, '{"meta":{}}', written(everyField.sample).replaceAll('fox.test', 'unknown'), good);
    expect(await store.ingestEach(records, options)).toEqual(['stored', 'quarantined', 'unknown cluster', 'repeated']);
    expect(await exported(store)).toEqual([good]);
    await store.close();
  });

  it(`${kind} forgets what is older than a time, and keeps the newest facts and the records of jobs`, async () => {
    const store = await opened();
    await store.ingestEach(recordsIn(...messagesOfTwoDays()), options);
    const before = await exported(store);
    const isKept = (text: string): boolean => {
      const { type, attributes } = (JSON.parse(text) as { data: { type: string; attributes: { time: string } } }).data;
      return Date.parse(attributes.time) / 1000 >= START + DAY + 600 || ['sysinfo', 'cluster'].includes(type);
    };
    const jobs = await store.rows.slurmJobs({ from: 0, until: START + 3 * DAY });
    const deleted = await store.prune(START + DAY + 600);
    const after = await exported(store);
    expect(after.filter((text) => !isKept(text))).toEqual([]);
    expect(deleted).toBe(before.length - after.length);
    // Of each node one sysinfo, and of the cluster one state.
    expect(after.filter((text) => /"type":"(?:sysinfo|cluster)"/.test(text))).toHaveLength(5);
    expect(await store.rows.slurmJobs({ from: 0, until: START + 3 * DAY })).toEqual(jobs);
    expect(await store.prune(START + DAY + 600)).toBe(0);
    // What was deleted would be stored again.
    const again = await store.ingestEach(recordsIn(...messagesOfTwoDays()), options);
    expect(again.filter((each) => each === 'stored')).toHaveLength(deleted);
    expect((await exported(store)).toSorted()).toEqual(before.toSorted());
    await store.close();
  });

  it(`${kind} keeps an archive that is stored by hand when what came in live has become too old`, async () => {
    const archive = await opened();
    const live = await opened();
    const messages = recordsIn(...messagesOfTwoDays());
    await archive.ingestEach(messages, { ...options, received: START + 400 * DAY });
    await live.ingestEach(messages, options);
    const [before, seconds] = [START + 300 * DAY, 30 * DAY];
    expect(await archive.prune(before, seconds)).toBe(0);
    expect(await live.prune(before, seconds)).toBeGreaterThan(10);
    // It is queried.
    expect(await archive.prune(before)).toBeGreaterThan(10);
    await archive.close();
    await live.close();
  });

  it(`${kind} chooses the producer of a node alike whether a job is named or not, and that of a job among its own samples`, async () => {
    const store = await opened();
    const sample = (producer: string, minute: number, job: number) =>
      JSON.stringify({
        meta: { producer, version: '1' },
        data: {
          type: 'sample',
          attributes: {
            time: `2026-03-01T00:0${minute}:00+00:00`,
            cluster: 'fox.test',
            node: minute < 6 ? 'shared' : 'other',
            jobs: [{ job, user: 'ada', processes: [{ pid: job, resident_memory: job }] }],
          },
        },
      });
    const texts = [
      ...[0, 1, 2].map((minute) => sample('site', minute, 1)),
      ...[3, 4].map((minute) => sample('runner', minute, 2)),
      sample('site', 6, 1),
    ];
    await store.ingestEach(recordsIn(...texts), options);
    const minutes = async (by: 'node' | 'job', job?: number) =>
      (
        await Array.fromAsync(
          store.rows.sampleSums({ from: START, until: START + DAY }, by, job === undefined ? undefined : { job }),
        )
      )
        .flat()
        .map(({ time }) => (time - START) / 60);
    expect(await minutes('node')).toEqual([0, 1, 2, 6]);
    expect(await minutes('node', 1)).toEqual([0, 1, 2, 6]);
    expect(await minutes('node', 2)).toEqual([0, 1, 2, 6]);
    expect(await minutes('job')).toEqual([0, 1, 2, 6]);
    expect(await minutes('job', 2)).toEqual([3, 4]);
    await store.close();
  });

  it(`${kind} quarantines what is more than a day ahead of its clock`, async () => {
    const store = await opened();
    const [text = ''] = messagesOfTwoDays();
    const at = (time: string) => text.replace(/"time":"[^"]*"/, `"time":"${time}"`);
    const received = Date.parse('2026-03-01T00:00:00Z') / 1000;
    const records = recordsIn(at('9999-12-31T23:59:59Z'), at('2026-03-02T00:00:01Z'), at('2026-03-02T00:00:00Z'));
    expect(await store.ingestEach(records, { received, origin: 'test' })).toEqual([
      'quarantined',
      'quarantined',
      'stored',
    ]);
    await store.close();
  });
});

describe.skipIf(postgresIsMissing !== undefined)('PostgreSQL', () => {
  it('a NUL character in a text costs its envelope in PostgreSQL, and no other', async () => {
    const store = await withClusters(await openStore(await postgres().newDatabase()));
    const results = await store.ingestEach(recordsIn(...everyText, ...withoutNul), options);
    expect(results.filter((each) => each === 'quarantined')).toHaveLength(1);
    expect((await exported(store)).toSorted()).toEqual(withoutNul.toSorted());
    await store.close();
  });

  it('a NUL character costs its envelope wherever it stands, and the six characters that write one in JSON do not', async () => {
    const url = await postgres().newDatabase();
    const store = await withClusters(await openStore(url));
    const envelopes = (word: string) => {
      const head = { time: '2026-03-01T00:00:00+00:00', cluster: 'fox.test', node: 'n' };
      const meta = { producer: 'torc', version: '1' };
      const sample = (attributes: object) => ({
        meta,
        data: { type: 'sample', attributes: { ...head, ...attributes } },
      });
      const process = (members: object) =>
        sample({ jobs: [{ job: 1, user: 'u', processes: [{ pid: 3, ...members }] }] });
      return [
        { ...sample({}), meta: { ...meta, version: word } },
        { ...sample({ system: { used_memory: 1 } }), [word]: 1 },
        process({ cmd: word }),
        process({ gpus: [{ index: 1, uuid: word }] }),
        process({ [word]: 1 }),
        process({ more: [{ deep: word }] }),
        { meta, errors: [{ ...head, detail: word }] },
      ].map((each) => JSON.stringify(each));
    };
    const plain = envelopes(String.raw`a\u0000`);
    expect(await store.ingestEach(recordsIn(...envelopes('a\0')), options)).toEqual(plain.map(() => 'quarantined'));
    expect(await store.ingestEach(recordsIn(...plain), options)).toEqual(plain.map(() => 'stored'));
    expect(await exported(store)).toHaveLength(plain.length);
    const places = await postgres().query(url, 'select problem from sonar.quarantine order by id');
    expect(places.map(({ problem }) => String(problem).split(': ')[0])).toEqual([
      'meta.version',
      String.raw`a\u0000`,
      'data.attributes.jobs[0].processes[0].cmd',
      'data.attributes.jobs[0].processes[0].gpus[0].uuid',
      String.raw`data.attributes.jobs[0].processes[0].a\u0000`,
      'data.attributes.jobs[0].processes[0].more[0].deep',
      'errors[0].detail',
    ]);
    await store.close();
  });

  it('a text that PostgreSQL cannot index costs its envelope, and long names that can be hashed do not', async () => {
    const url = await postgres().newDatabase();
    const store = await withClusters(await openStore(url));
    // Text that does not become short when it is packed.
    const next = random(1);
    const long = Array.from({ length: 9000 }, () => next().toString(36).slice(2, 4)).join('');
    const head = { time: '2026-03-01T00:00:00+00:00', cluster: 'fox.test' };
    const meta = { producer: 'torc', version: '1' };
    const texts = [
      {
        meta,
        data: {
          type: 'job',
          attributes: { ...head, slurm_jobs: [{ job_id: 1, job_step: long, job_state: 'RUNNING' }] },
        },
      },
      {
        meta,
        data: {
          type: 'sample',
          attributes: { ...head, node: 'n', jobs: [{ job: 1, user: long, processes: [{ cmd: long, pid: 3 }] }] },
        },
      },
    ].map((each) => JSON.stringify(each));
    expect(await store.ingestEach(recordsIn(...texts), options)).toEqual(['quarantined', 'stored']);
    expect(await exported(store)).toEqual(texts.slice(1));
    const [row] = await postgres().query(url, 'select problem from sonar.quarantine');
    expect(row?.['problem']).toContain('slurm_jobs[0].job_step: found a text of ');
    await store.close();
  });

  it('a long body is read and stored in PostgreSQL a portion at a time, and what came before a break counts as repeated when it is sent again', async () => {
    const store = await withClusters(await openStore(await postgres().newDatabase()));
    const bytes = Buffer.alloc(2 ** 21);
    const records = recordsIn(...messagesOfTwoDays().slice(0, 5)).map((record) => ({ ...record, bytes }));
    function* cutOff() {
      yield* records;
      throw new Error('cut off');
    }
    await expect(store.ingestEach(cutOff(), options)).rejects.toThrow('cut off');
    expect(await store.ingestEach(records, options)).toEqual([...Array(4).fill('repeated'), 'stored']);
    await store.close();
  });

  it('several writers of one store at once leave the same as one, also where they send the same', async () => {
    const url = await postgres().newDatabase();
    // All of them find a database without tables.
    const stores = await Promise.all([openStore(url), openStore(url), openStore(url)]);
    await withClusters(stores[0]);
    const texts = messagesOfTwoDays();
    await Promise.all(
      stores.map(async (store, index) => {
        const own = shuffled(texts, index);
        for (let at = 0; at < own.length; at += 45)
          await store.ingestEach(recordsIn(...own.slice(at, at + 45)), options);
        await store.addLinks(links);
      }),
    );
    expect(await answers(stores[1])).toEqual(await cleanAnswers());
    for (const store of stores) await store.close();
  });

  it('each day has its partitions, which are dropped with it; days of clocks that are not set have none', async () => {
    const url = await postgres().newDatabase();
    const store = await withClusters(await openStore(url));
    const at = (time: string) =>
      JSON.stringify({
        meta: { producer: 'p', version: '1' },
        data: {
          type: 'sample',
          attributes: { time, cluster: 'fox.test', node: 'n', jobs: [{ job: 1, user: 'u', processes: [{ pid: 1 }] }] },
        },
      });
    const times = ['1970-01-01T00:00:10+00:00', '2026-03-01T23:59:59+00:00', '2026-03-02T00:00:00+00:00'];
    const texts = times.map(at);
    await store.ingestEach(recordsIn(...texts), options);
    const partitions = async () =>
      (
        await postgres().query(
          url,
          `select c.relname as name, (select count(*) from sonar.process p where p.tableoid = c.oid) as rows
           from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'sonar.process'::regclass order by 1`,
        )
      ).map(({ name, rows }) => `${String(name)} ${Number(rows)}`);
    expect(await partitions()).toEqual(['process_d20513 1', 'process_d20514 1', 'process_default 1']);
    expect(await exported(store)).toEqual(texts);
    expect(await store.prune(START + DAY)).toBe(2);
    expect(await partitions()).toEqual(['process_d20514 1', 'process_default 0']);
    expect(await exported(store)).toEqual(texts.slice(2));
    await store.close();
  });

  it('the statistics of a day are updated when it begins and when it has ten times the rows, and of a day without a partition never', async () => {
    const url = await postgres().newDatabase();
    const store = await withClusters(await openStore(url));
    const ingest = (time: string, processes: number) => {
      const jobs = [{ job: 1, user: 'u', processes: Array.from({ length: processes }, (_, pid) => ({ pid })) }];
      const attributes = { time, cluster: 'fox.test', node: 'n', jobs };
      const meta = { producer: 'torc', version: '1' };
      return store.ingestEach(recordsIn(JSON.stringify({ meta, data: { type: 'sample', attributes } })), options);
    };
    const reported = async () => {
      const rows = await postgres().query(
        url,
        `select relname, analyze_count, (select reltuples from pg_class where oid = relid) as rows
         from pg_stat_all_tables where schemaname = 'sonar' and relname ~ '^process_d' order by 1`,
      );
      return rows.map(
        ({ relname, analyze_count: count, rows: known }) => `${String(relname)} ${Number(count)} ${Number(known)}`,
      );
    };
    await ingest('2026-03-01T00:00:00Z', 20);
    // The server would count by itself within a minute.
    await postgres().query(url, 'alter table sonar.process_d20513 set (autovacuum_enabled = false)');
    expect(await reported()).toEqual(['process_d20513 1 20', 'process_default 0 -1']);
    await ingest('2026-03-01T00:00:00Z', 20);
    await ingest('2026-03-01T00:05:00Z', 179);
    expect(await reported()).toEqual(['process_d20513 1 20', 'process_default 0 -1']);
    await ingest('2026-03-01T00:10:00Z', 1);
    expect(await reported()).toEqual(['process_d20513 2 200', 'process_default 0 -1']);
    await ingest('1970-01-01T00:00:10Z', 20);
    await ingest('2026-03-02T00:00:00Z', 0);
    expect(await reported()).toEqual(['process_d20513 2 200', 'process_d20514 0 -1', 'process_default 0 -1']);
    await store.close();
  });

  it('of deleted samples the hours are left in PostgreSQL, and say what those of an embedded store say', async () => {
    const url = await postgres().newDatabase();
    const both = [await openStore(url), await openStore(join(temporaryFolder(), 'sonar.db'))];
    const last = START + 2 * DAY;
    const found = [];
    for (const store of both) {
      await withClusters(store);
      await store.ingestEach(recordsIn(...shuffled(messagesOfTwoDays(), 5)), options);
      await store.addLinks(links);
      // In PostgreSQL, deleting makes the hours of days that had none.
      const closed = store === both[0] ? [] : await closedDays(store, last);
      const samples = (await exported(store, { types: ['sample'] })).length;
      expect(await store.prune(last)).toBeGreaterThanOrEqual(samples);
      expect(await exported(store, { types: ['sample'] })).toEqual([]);
      found.push(await hourAnswers(store), closed.length);
      expect(await closedDays(store, last)).toEqual([]);
    }
    const [ofPostgres, , ofEmbedded, closed] = found;
    expect(closed).toBe(3);
    expect(ofPostgres).toEqual(ofEmbedded);
    expect(JSON.stringify(ofPostgres)).toMatch(
      /"hourly":\{"from":"2026-03-01T00:00:00\+00:00","until":"2026-03-02T22:00:00/,
    );
    for (const store of both) await store.close();
  });

  it('a day of PostgreSQL is closed again when samples of it come late, and an hour has its samples or what they were added up to', async () => {
    const store = await withClusters(await openStore(await postgres().newDatabase()));
    const texts = messagesOfTwoDays();
    const late = texts.filter((text) => /"type":"sample".*"time":"[-\d]+T(?:03:00:0\d\+00|04:00:0\d\+01)/.test(text));
    expect(late).toHaveLength(6);
    await store.ingestEach(recordsIn(...texts.filter((text) => !late.includes(text))), options);
    const last = START + 2 * DAY;
    expect(await closedDays(store, last)).toEqual([
      '2026-03-01 fox.test',
      '2026-03-02 fox.test',
      '2026-03-01 wolf.test',
    ]);
    expect(await closedDays(store, last)).toEqual([]);
    await store.ingestEach(recordsIn(...late), options);
    expect(await closedDays(store, last)).toEqual(['2026-03-01 fox.test', '2026-03-02 fox.test']);
    await store.prune(last);
    const pruned = await hourAnswers(store);
    const clean = await withClusters(await openStore(await postgres().newDatabase()));
    await clean.ingestEach(recordsIn(...texts), options);
    await clean.addLinks(links);
    await store.addLinks(links);
    await clean.prune(last);
    expect(await hourAnswers(clean)).toEqual(await hourAnswers(store));
    // What was deleted comes again: an hour with samples comes from them, and nothing counts twice.
    const figures = (reported: unknown) =>
      JSON.stringify(
        (reported as { readonly items: readonly object[] }).items.map((each) => ({ ...each, samples: 0 })),
      );
    expect(await store.ingestEach(recordsIn(...late), options)).toEqual(late.map(() => 'stored'));
    const rows = await store.rows.nodeHours({ from: START, until: last });
    expect(rows.filter(({ time }) => [START + 10_800, START + DAY + 10_800].includes(time))).toEqual([]);
    expect(rows.length).toBe((await clean.rows.nodeHours({ from: START, until: last })).length - 6);
    await closedDays(store, last);
    await store.prune(last);
    expect(figures((await hourAnswers(store))[0])).toBe(figures(pruned[0]));
    await Promise.all([store.close(), clean.close()]);
  });

  it('a server that goes away in the middle loses nothing that was stored and stores nothing twice', async () => {
    const url = await postgres().newDatabase();
    const store = await withClusters(await openStore(url));
    const texts = messagesOfTwoDays();
    const parts = Array.from({ length: 12 }, (_, part) => texts.filter((_text, index) => index % 12 === part));
    let isDown = false;
    const stored = new Set<number>();
    for (const [index, part] of parts.entries()) {
      const storing = store.ingestEach(recordsIn(...part), options).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (index === 4) {
        await postgres().kill();
        isDown = true;
      }
      const failure = await storing;
      if (failure === undefined) stored.add(index);
      else {
        expect(isDown).toBe(true);
        expect(failure).toBeInstanceOf(StoreAway);
        expect((failure as Error).message).toMatch(/PostgreSQL at .*(?:cannot be used now: .+|was lost)/);
      }
      if (index === 7) {
        await postgres().begin();
        isDown = false;
      }
    }
    expect([...stored]).toEqual(expect.arrayContaining([0, 1, 2, 3, 8, 9, 10, 11]));
    expect([...stored]).not.toContain(6);
    const kept = new Set(await exported(store));
    for (const index of stored) expect((parts[index] ?? []).filter((text) => !kept.has(text))).toEqual([]);
    for (const part of parts) await store.ingestEach(recordsIn(...part), options);
    await store.addLinks(links);
    expect(await answers(store)).toEqual(await cleanAnswers());
    await store.close();
  });

  it('the view of processes shows amounts of 64 bits as they were sent, and a view of a site that stands on it stays', async () => {
    const url = await postgres().newDatabase();
    const store = await withClusters(await openStore(url));
    const greatest = 2n ** 64n - 1n;
    const sample = everyField.sample;
    await store.ingestEach(recordsIn(withoutNul[Object.values(everyField).indexOf(sample)] ?? ''), options);
    await store.close();
    await postgres().query(
      url,
      'update sonar.process set rss = -1, vm = -1, cpu_time = -1, data_read = 7, data_written = -1, threads = -1',
    );
    const amounts =
      'select distinct resident_kb, virtual_kb, cpu_seconds, read_kb, written_kb, threads from sonar.processes';
    const shown = [greatest, greatest, greatest, 7n, greatest, greatest + 1n].map(String);
    expect((await postgres().query(url, amounts)).map((row) => Object.values(row))).toEqual([shown]);
    // As an earlier release left it, with a view of the site.
    await postgres().query(url, 'create view public.ours as select cluster, resident_kb from sonar.processes');
    await postgres().query(url, 'delete from sonar.migration where number = $1', migrations.length);
    const again = await openStore(url);
    expect(await again.clusters()).toMatchObject([{ name: 'fox.test' }, { name: 'wolf.test' }]);
    await again.close();
    expect(await postgres().query(url, 'select distinct resident_kb from public.ours')).toEqual([
      { resident_kb: String(greatest) },
    ]);
  });

  it('a store gets the columns that came later when it is opened to be written, once, and keeps its rows', async () => {
    const url = await postgres().newDatabase();
    const store = await withClusters(await openStore(url));
    await store.ingestEach(recordsIn(...withoutNul), options);
    await store.close();
    // As an earlier release left it.
    await postgres().query(url, 'drop view sonar.processes');
    await postgres().query(url, 'alter table sonar.process drop column container');
    await postgres().query(url, 'alter table sonar.node_sample drop column boot_zone');
    const later: readonly PlacedColumn[] = [
      { table: 'process', column: 'container', kind: 'flag' },
      { table: 'node_sample', column: 'boot_zone', kind: 'zone' },
    ];
    const db = new PgConnection(url);
    await expect(migratePostgres(db, true, later)).rejects.toThrow(/is older than this torc/);
    for (const _ of [1, 2]) await migratePostgres(db, false, later);
    await migratePostgres(db, true, later);
    await db.close();
    const again = await openStore(url);
    expect(await exported(again)).toHaveLength(withoutNul.length);
    expect(await again.ingestEach(recordsIn(...messagesOfTwoDays()), options)).toContain('stored');
    await again.close();
  });

  it('a program refuses a store of a newer torc, an empty database to read, and says who was refused', async () => {
    const url = await postgres().newDatabase();
    await expect(openStore(url, { isReadOnly: true })).rejects.toThrow(/^there is no store at postgres:/);
    await (await openStore(url)).close();
    await postgres().query(url, 'insert into sonar.migration (number) values ($1)', migrations.length + 1);
    await expect(openStore(url)).rejects.toThrow(/was written by a newer torc/);
    const wrong = url.replace('postgres@', 'eve:velvet@').replace(/test\d+/, 'nowhere');
    const refused = (await openStore(wrong).catch((error: unknown) => error)) as Error;
    expect(refused).toBeInstanceOf(PostgresUnusable);
    expect(refused.message).toMatch(/cannot open the store postgres:\/\/eve@\/nowhere.*: role "eve" does not exist/);
    expect(refused.message).not.toContain('velvet');
  });

  it('the commands take the URL of a database where they take the file of a store', async () => {
    const cwd = temporaryFolder();
    const store = ['--store', await postgres().newDatabase()];
    writeFileSync(join(cwd, 'all.json'), messagesOfTwoDays().join('\n'));
    expect(await torc(['sonar', 'ingest', 'all.json', '--add-clusters', ...store], { cwd })).toMatchObject({
      stdout: `1 file: ${messagesOfTwoDays().length} stored\n`,
      code: 0,
    });
    const out = await torc(['sonar', 'export', '--type', 'cluster', ...store], { cwd });
    expect(out.stdout.trim().split('\n')).toEqual(
      messagesOfTwoDays().filter((text) => text.includes('"type":"cluster"')),
    );
    const shown = await torc(
      ['sonar', 'show', 'queue', '--from', '2026-03-01', '--to', '2026-03-03', '-f', 'csv', ...store],
      { cwd },
    );
    expect(shown.stdout).toMatch(/^normal,/m);
    const pruned = await torc(['sonar', 'prune', '--before', '2026-03-02', ...store], { cwd });
    expect(pruned.stdout).toMatch(/^Deleted \d+ envelopes from before 2026-03-02T00:00:00\+00:00\n$/);
    const unreachable = 'postgres://ada:velvet@127.0.0.1:1/site';
    const away = await torc(['sonar', 'export', '--store', unreachable], { cwd });
    expect(away).toMatchObject({ stdout: '', code: 1 });
    expect(away.stderr).toMatch(
      /PostgreSQL at postgres:\/\/ada@127.0.0.1:1\/site cannot be used now: .*ECONNREFUSED.*run the command again/,
    );
    expect(away.stderr).not.toContain('velvet');
  });

  it('a server that receives into PostgreSQL acknowledges what is stored, nothing while the database is away, and all of it later', async () => {
    const cwd = temporaryFolder();
    const url = await postgres().newDatabase();
    const added = await torc(['sonar', 'clusters', 'add', 'fox.test', '--new-token', '-f', 'json', '--store', url], {
      cwd,
    });
    const { token } = JSON.parse(added.stdout) as { token: string };
    const { url: root } = await startServer(cwd, { more: ['--sonar-store', url] });
    const post = async (text: string) => {
      const response = await fetch(`${root}/sonar/envelopes`, {
        method: 'POST',
        body: text,
        headers: { Authorization: `Bearer ${token}` },
      });
      return { status: response.status, text: await response.text() };
    };
    const texts = withoutNul;
    const stored = await post(texts.join('\n'));
    expect([stored.status, JSON.parse(stored.text)]).toMatchObject([200, { stored: 4, repeated: 0, refused: 0 }]);
    const [nul = ''] = everyText.filter((text) => !withoutNul.includes(text));
    const refused = await post(nul);
    expect(refused.status).toBe(422);
    const later = texts.map((text) => text.replaceAll('2026-03-01T', '2026-03-02T'));
    await postgres().kill();
    const away = await post(later.join('\n'));
    expect(away.status).toBe(503);
    expect(away.text).not.toContain('postgres');
    await postgres().begin();
    expect(JSON.parse((await post(later.join('\n'))).text)).toMatchObject({ stored: 4, repeated: 0 });
    const asked = await fetch(`${root}/sonar/show/jobs?from=2026-02-28T00:00:00Z&to=2026-03-04T00:00:00Z`);
    expect([asked.status, ((await asked.json()) as { items: unknown[] }).items.length]).toEqual([200, 3]);
    const store = await openStore(url, { isReadOnly: true });
    expect((await exported(store)).toSorted()).toEqual([...texts, ...later].toSorted());
    await store.close();
  });
});
