import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { unchangedCompat } from '../../src/core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../../src/core/contract/sonar/encode.ts';
import type { Envelope } from '../../src/core/contract/sonar/envelope.ts';
import { GREATEST_UINT } from '../../src/core/contract/sonar/extended-uint.ts';
import type { SampleProcess } from '../../src/core/contract/sonar/sample.ts';
import { formatTimestamp } from '../../src/core/contract/sonar/timestamp.ts';
import { jobsOf } from '../../src/telemetry/questions/jobs.ts';
import { loadOf } from '../../src/telemetry/store/figures/load.ts';
import { cardsOf, nodeFactsOf } from '../../src/telemetry/questions/nodes.ts';
import { profileOf } from '../../src/telemetry/questions/profile.ts';
import { profileSteps } from '../../src/telemetry/questions/profile-steps.ts';
import { reportLinesOf } from '../../src/telemetry/questions/report.ts';
import { uptimeOf } from '../../src/telemetry/questions/uptime.ts';
import { EnvelopeReader } from '../../src/telemetry/format/envelope-reader.ts';
import { loadDuckDB } from '../../src/telemetry/store/archive/duckdb.ts';
import { parquetTableOf } from '../../src/telemetry/store/archive/tables.ts';
import { EmbeddedStore } from '../../src/telemetry/store/embedded/embedded-store.ts';
import { ingestInto } from '../../src/telemetry/receive/files/ingest.ts';
import { temporaryFolder, torc } from '../support/programs.ts';
import { fill, noSmallDisk, smallDisk } from '../support/small-disk.ts';
import { everyField } from './every-field.ts';
import { v2Answers } from './v2-answers.ts';

const START = 1_772_323_200;
const DAY = 86_400;
const MUCH_LATER = START + 100 * DAY;
const whole = { from: START, until: START + 5 * DAY };
const written = (envelope: Envelope): string => encodeEnvelope(envelope, unchangedCompat);

const store = async (envelopes: readonly string[], path = join(temporaryFolder(), 'sonar.db')) => {
  const opened = new EmbeddedStore(path);
  for (const cluster of ['fox.test', 'fox']) await opened.addCluster(cluster, 0);
  await add(opened, envelopes);
  return opened;
};

async function add(opened: EmbeddedStore, envelopes: readonly string[], received = START + 366 * DAY) {
  const reader = new EnvelopeReader();
  const records = [...reader.push(Buffer.from(envelopes.join('\n'))), ...reader.end()];
  return ingestInto(opened, records, { received, origin: 'test' });
}

const close = (opened: EmbeddedStore, before = MUCH_LATER) =>
  Array.fromAsync(opened.closeDays({ before, now: START }), ({ day }) => day);

const exported = (opened: EmbeddedStore) => Array.fromAsync(opened.envelopes(), ({ envelope }) => written(envelope));

/** What a store says to every question that looks at samples. */
async function answers({ rows }: EmbeddedStore, from = START - DAY, until = START + 5 * DAY) {
  const window = { from, until };
  return {
    jobs: await jobsOf(rows, window),
    ofUser: await jobsOf(rows, { ...window, user: 'ada' }),
    load: await loadOf(rows, window, 3600),
    profile: await profileOf(rows, window, { job: 7 }),
    ofEpoch: await profileOf(rows, { ...window, node: 'n1' }, { job: 7, epoch: 5 }, 3600),
    uptime: await uptimeOf(rows, window),
    nodes: await nodeFactsOf(rows, window),
    cards: await cardsOf(rows, window),
    zombies: await reportLinesOf(rows, window, 'zombies'),
    disks: (await Array.fromAsync(rows.diskSamples(window))).flat().map((each) => ({ ...each, envelope: 0 })),
    cardSamples: (await Array.fromAsync(rows.cardSamples(window))).flat().map((each) => ({ ...each, envelope: 0 })),
  };
}

function sampleAt(time: number, more: { node?: string; producer?: string; processes?: readonly SampleProcess[] } = {}) {
  const {
    node = 'n1.fox.org',
    producer = 'sonar',
    processes = [{ pid: 1, cpu_time: Math.max(0, time - START) }],
  } = more;
  const system = {
    cpus: [Math.max(0, time - START), 5],
    used_memory: 1000,
    gpus: [{ index: 0, uuid: 'A', ce_util: 50, memory: 9 }],
  };
  return written({
    meta: { producer, version: '0.19.0' },
    data: {
      type: 'sample',
      attributes: {
        time: formatTimestamp(time),
        cluster: 'fox',
        node,
        system: { ...system, disks: [{ name: 'sda', major: 8, minor: 0, stats: [1, 2, time] }] },
        jobs: [{ job: 7, user: 'ada', epoch: 5, processes }],
      },
    },
  });
}

/** Three days with a sample in every two hours, of two nodes. */
const threeDays = Array.from({ length: 36 }, (_, index) => [
  sampleAt(START + index * 7200),
  sampleAt(START + index * 7200 + 5, { node: 'n2' }),
]).flat();

describe('a closed day', () => {
  it('a closed day gives every field of its samples back, and nothing of it stays in the store', async () => {
    const lines = Object.values(everyField).map(written);
    const strange = written(everyField.sample).replace('"cluster"', '"zappa":[1,{"a":18446744073709551615}],"cluster"');
    const opened = await store([...lines, strange, sampleAt(START, { processes: [] })]);
    const before = await exported(opened);
    expect(await close(opened)).toEqual(['2026-03-01', '2026-03-01']);
    expect(await exported(opened)).toEqual(before);
    for (const table of ['sample_job', 'process', 'process_gpu', 'node_sample', 'gpu_sample', 'disk_sample', 'extra'])
      expect([table, opened.database.get(`select count(*) as n from ${table}`)?.['n']]).toEqual([table, 0n]);
    const sets = await Array.fromAsync(
      opened.envelopes({ node: 'c1-2', types: ['sample'], from: START, until: START + DAY }),
    );
    expect(sets).toHaveLength(2);
    expect(await opened.clusters()).toMatchObject([
      { name: 'fox', envelopes: 1 },
      { name: 'fox.test', envelopes: 5 },
    ]);
    await opened.close();
  });

  it('an envelope of a closed day that comes again changes nothing, and a late one is part of every answer', async () => {
    const [late = '', ...early] = threeDays.toReversed();
    const [opened, clean] = [await store(early), await store(threeDays)];
    expect(await close(opened)).toEqual(['2026-03-01', '2026-03-02', '2026-03-03']);
    expect(await add(opened, threeDays)).toMatchObject({ stored: 1, repeated: threeDays.length - 1 });
    expect(await answers(opened)).toEqual(await answers(clean));
    const about = {
      cluster: 'fox',
      node: 'n1',
      job: 7,
      epoch: 5,
      from: START,
      until: START + 3 * DAY,
      now: MUCH_LATER,
    };
    expect(await v2Answers(opened, about)).toEqual(await v2Answers(clean, about));
    // The next close writes the files of that day anew, and the ones before it go with the close that follows.
    expect(await close(opened)).toEqual(['2026-03-03']);
    expect(await close(opened)).toEqual([]);
    expect(await add(opened, threeDays)).toMatchObject({ stored: 0, repeated: threeDays.length });
    expect(await answers(opened)).toEqual(await answers(clean));
    expect((await exported(opened)).toSorted()).toEqual((await exported(clean)).toSorted());
    expect(late).toContain('n2');
    await Promise.all([opened.close(), clean.close()]);
  });

  it('a store whose folder and cluster have strange names is closed like any other, and nothing is written elsewhere', async () => {
    const folder = join(temporaryFolder(), 'a [b] *', "it's");
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'sonar.db');
    const lines = ['../../x', '..', 'a b', 'fox'].map((name) => sampleAt(START).replace('"fox"', JSON.stringify(name)));
    const opened = new EmbeddedStore(path);
    for (const name of ['../../x', '..', 'a b', 'fox']) await opened.addCluster(name, 0);
    const { stored } = await add(opened, lines);
    const before = await exported(opened);
    expect(await close(opened)).toHaveLength(stored);
    expect(await exported(opened)).toEqual(before);
    expect(readdirSync(folder).toSorted()).toEqual(['sonar.db', 'sonar.db-archive', 'sonar.db-shm', 'sonar.db-wal']);
    expect(readdirSync(join(folder, '..'))).toEqual(["it's"]);
    await opened.close();
  });

  it('a store of the version before closed days is upgraded, also by who only reads', async () => {
    const path = join(temporaryFolder(), 'sonar.db');
    const opened = await store(threeDays.slice(0, 4), path);
    for (const table of ['closed_day', 'archived', 'newest_archived', 'leftover', 'job_sums'])
      opened.database.run(`drop table ${table}`);
    opened.database.run('pragma user_version = 1');
    await opened.close();
    const reader = new EmbeddedStore(path, { isReadOnly: true });
    expect(await exported(reader)).toEqual(threeDays.slice(0, 4));
    await reader.close();
    const writer = new EmbeddedStore(path);
    expect(await close(writer)).toEqual(['2026-03-01']);
    expect(await exported(writer)).toEqual(threeDays.slice(0, 4));
    await writer.close();
  });

  it('a closed day whose file of processes is lost gives an error, and no answer without processes', async () => {
    const path = join(temporaryFolder(), 'sonar.db');
    const opened = await store(threeDays, path);
    await close(opened);
    for (const file of globSync(join(dirname(path), '**/process-*.parquet'))) rmSync(file);
    await expect(Array.fromAsync(opened.rows.processes(whole))).rejects.toThrow('no file process');
    await expect(Array.fromAsync(opened.rows.sampleSums(whole, 'node'))).rejects.toThrow('no file process');
    await opened.close();
  });

  it('a reader gets each row once while a day is closed', async () => {
    const path = join(temporaryFolder(), 'sonar.db');
    const opened = await store(threeDays, path);
    const reader = new EmbeddedStore(path, { isReadOnly: true });
    const seen: string[] = [];
    let isClosed = false;
    for await (const { envelope } of reader.envelopes()) {
      if (seen.length === 10) isClosed = (await close(opened)).length === 3;
      seen.push(written(envelope));
    }
    expect(isClosed).toBe(true);
    expect(seen).toEqual(await exported(reader));
    expect(seen).toHaveLength(threeDays.length);
    await Promise.all([opened.close(), reader.close()]);
  });

  it('while a reader is active, a close stops to delete before the log grows, and the next one deletes the rest', async () => {
    const path = join(temporaryFolder(), 'sonar.db');
    const many = Array.from({ length: 600 }, (_, index) =>
      sampleAt(START + index * 60, {
        processes: Array.from({ length: 20 }, (_each, at) => ({ pid: at + 1, cmd: `p${at}`, cpu_time: index })),
      }),
    );
    const opened = await store(many, path);
    const before = await exported(opened);
    opened.database.cutLog();
    const left = () => Number(opened.database.get('select count(*) as n from leftover')?.['n']);
    const reader = new EmbeddedStore(path, { isReadOnly: true });
    const reading = reader.envelopes();
    const seen = [written(((await reading.next()).value as { envelope: Envelope }).envelope)];
    const limits = { logBytes: 1 << 19, sliceEnvelopes: 10, patienceMs: 0 };
    const days = await Array.fromAsync(opened.closeDays({ before: MUCH_LATER, now: START, ...limits }));
    expect(days).toHaveLength(1);
    expect(left()).toBeGreaterThan(0);
    expect(opened.database.logBytes()).toBeLessThan(1 << 20);
    // Rows that wait to be deleted are in no answer, and the reader goes on with what it began with.
    expect(await exported(opened)).toEqual(before);
    for await (const { envelope } of reading) seen.push(written(envelope));
    expect(seen).toEqual(before);
    await Array.fromAsync(opened.closeDays({ before: MUCH_LATER, now: START, ...limits }));
    expect([left(), opened.database.get('select count(*) as n from process')?.['n']]).toEqual([0, 0n]);
    expect(await exported(opened)).toEqual(before);
    await Promise.all([opened.close(), reader.close()]);
  });

  it('pruning deletes the files of closed days, and ids are not used again', async () => {
    const opened = await store(threeDays);
    await close(opened);
    const files = () => globSync(join('*/*/*/*', 'process-*.parquet'), { cwd: `${opened.path}-archive` }).length;
    expect(files()).toBe(3);
    expect(await opened.prune(START + 2 * DAY)).toBe(48);
    expect([files(), (await exported(opened)).length]).toEqual([1, 24]);
    // The envelopes of the deleted days are unknown now; those of the third one are not.
    expect(await add(opened, threeDays)).toMatchObject({ stored: 48, repeated: 24 });
    expect((await exported(opened)).toSorted()).toEqual(threeDays.toSorted());
    await opened.close();
  });
});

/** The sources as the runtime compiled them. */
const compiled = join(tmpdir(), 'torc-test-compiled');
describe('hours', () => {
  it('the steps of a profile are the same from hours of closed days, from their files and from hot rows', async () => {
    const last = threeDays.at(-1) ?? '';
    const opened = await store(threeDays.slice(0, -1));
    const steps = async () => {
      const found = [];
      for (const every of [undefined, 0, 1800, 3600, 43_200])
        found.push(await profileSteps(opened.rows, { from: START - DAY, until: START + 5 * DAY }, { job: 7 }, every));
      const cut = { node: 'n2', user: 'ada', from: START + DAY / 2, until: START + 2.5 * DAY };
      return [...found, await profileSteps(opened.rows, cut, { job: 7, epoch: 5 }, 3600)];
    };
    const hot = await steps();
    expect(hot.map((each) => each.steps.length)).toEqual([71, 71, 71, 71, 12, 24]);
    await close(opened, START + 2 * DAY);
    const days = { from: START - DAY, until: START + 5 * DAY };
    expect((await opened.rows.closedJobHours(days, { job: 7 })).days).toEqual([0, 1].map((day) => START / DAY + day));
    expect(await steps()).toEqual(hot);
    await close(opened);
    expect(await steps()).toEqual(hot);
    // A late sample: the hours of its day do not say it.
    await add(opened, [last]);
    expect((await opened.rows.closedJobHours(days, { job: 7 })).days).toHaveLength(2);
    const [, each, , hourly] = await steps();
    expect([each?.steps.length, hourly?.steps.length]).toEqual([72, 72]);
    await opened.close();
  });

  it('of deleted samples the hours are left, and questions are answered from them', async () => {
    const opened = await store(threeDays);
    await close(opened);
    const before = await answers(opened);
    expect([await opened.rows.nodeHours(whole), await opened.rows.jobHours(whole)]).toEqual([[], []]);
    expect(await opened.prune(START + 3 * DAY)).toBe(threeDays.length);
    expect(await exported(opened)).toEqual([]);
    const after = await answers(opened);
    // CPU time is counted once at the midnights, too.
    const figures = ({ jobs }: typeof before) =>
      jobs.map(({ cpuPercent: _average, peakCpuPercent: _peak, gpuPercent: _gpu, ...figures }) => figures);
    expect(figures(after)).toEqual(figures(before));
    expect(after.jobs.map(({ cpuSeconds }) => cpuSeconds)).toEqual([35 * 7200, 35 * 7200]);
    expect(after.load).toEqual(before.load);
    expect(after.uptime).toEqual(before.uptime);
    expect(after.profile.steps.map(({ time, node }) => `${time - (time % 3600)} ${node}`)).toEqual(
      before.profile.steps.map(({ time, node }) => `${time - (time % 3600)} ${node}`),
    );
    expect(after.nodes).toEqual(before.nodes);
    await opened.close();
  });

  it('hours that an earlier release wrote, with other types, are read beside new ones and kept by the next close', async () => {
    const path = join(temporaryFolder(), 'sonar.db');
    const great = sampleAt(START + 2 * DAY, { node: 'n3', processes: [{ pid: 1, resident_memory: GREATEST_UINT }] });
    const opened = await store([...threeDays, great], path);
    await close(opened);
    const asked = async () => [
      await profileSteps(opened.rows, { ...whole, cluster: 'fox' }, { job: 7, epoch: 5 }, 3600),
      await jobsOf(opened.rows, whole),
      await loadOf(opened.rows, whole, 3600),
    ];
    const older: Readonly<Record<string, string>> = {
      job_hour: `replace(cpuSeconds::double as cpuSeconds, memoryKb::bigint as memoryKb, peakMemoryKb::bigint as peakMemoryKb,
        peakGpuMemoryKb::bigint as peakGpuMemoryKb)`,
      node_hour: 'replace(usedMemoryKb::bigint as usedMemoryKb, gpuMemoryKb::bigint as gpuMemoryKb)',
    };
    const { DuckDBInstance: Instance } = await loadDuckDB();
    const connection = await (await Instance.create(':memory:')).connect();
    const rewrite = async (day: string) => {
      for (const [table, columns] of Object.entries(older)) {
        const file = `${path}-archive/fox/2026/03/${day}/${table}-1.parquet`;
        await connection.run(`create or replace table old as select * ${columns} from read_parquet('${file}')`);
        await connection.run(`copy old to '${file}'`);
      }
    };
    const before = await asked();
    await rewrite('01');
    expect(await asked()).toEqual(before);
    await opened.prune(START + 3 * DAY);
    const lost = await asked();
    await rewrite('02');
    expect(await asked()).toEqual(lost);
    await add(opened, threeDays.slice(0, 1));
    await close(opened);
    // Of that hour, the one sample is all that its hour had.
    const samples = (answer: readonly unknown[]) =>
      (answer[1] as Awaited<ReturnType<typeof jobsOf>>)
        .map((each) => `${each.nodes.join()} ${each.samples} ${each.peakMemoryKb}`)
        .toSorted();
    expect(samples(await asked())).toEqual(samples(lost));
    connection.closeSync();
    await opened.close();
  });

  it('a day has the samples or the hours of a node, and never both', async () => {
    const opened = await store(threeDays);
    await close(opened);
    await opened.prune(START + DAY);
    const [hours, jobs] = [await opened.rows.nodeHours(whole), await jobsOf(opened.rows, whole)];
    expect(hours).toHaveLength(24);
    // The samples of one node come again, and are closed again: the hours of the other one stay.
    await add(
      opened,
      threeDays.filter((line) => line.includes('"n2"')),
    );
    expect((await opened.rows.nodeHours(whole)).map(({ node }) => node)).toEqual(Array(12).fill('n1.fox.org'));
    expect(await close(opened)).toEqual(['2026-03-01']);
    await opened.prune(START + DAY);
    expect(await opened.rows.nodeHours(whole)).toEqual(hours);
    expect((await jobsOf(opened.rows, whole)).map(({ cpuSeconds }) => cpuSeconds)).toEqual(
      jobs.map(({ cpuSeconds }) => cpuSeconds),
    );
    await opened.close();
  });

  it('one late sample of a day whose samples were deleted hides its own hour, and the others are shown before and after the next close', async () => {
    const opened = await store(threeDays);
    await close(opened);
    await opened.prune(START + DAY);
    const hours = await opened.rows.nodeHours(whole);
    const jobHours = await opened.rows.jobHours(whole);
    const [late = ''] = threeDays.filter((line) => line.includes('"n2"'));
    await add(opened, [late]);
    const node = (JSON.parse(late) as { data: { attributes: { node: string } } }).data.attributes.node;
    const hour = Math.min(...hours.filter((each) => each.node === node).map(({ time }) => time));
    const isOther = (each: { node: string; time: number }) => each.node !== node || each.time !== hour;
    const reported = async () => [await opened.rows.nodeHours(whole), await opened.rows.jobHours(whole)];
    const others = [hours.filter(isOther), jobHours.filter(isOther)];
    expect(others.map(({ length }) => length)).toEqual([23, jobHours.length - 1]);
    expect(await reported()).toEqual(others);
    expect(await close(opened)).toEqual(['2026-03-01']);
    expect(await reported()).toEqual(others);
    expect((await exported(opened)).filter((line) => line === late)).toEqual([late]);
    // A profile has each hour once, that of the late sample as well.
    const days = { from: START - DAY, until: START + 5 * DAY };
    const { hours: ofJob } = await opened.rows.closedJobHours(days, { job: 7 });
    const named = ofJob.map((each) => `${each.node} ${each.time}`);
    expect(named.toSorted()).toEqual([...new Set(named)].toSorted());
    expect(named).toContain(`${node} ${hour}`);
    // Of the late sample, too, the hour is left.
    await opened.prune(START + DAY);
    const [again = []] = await reported();
    expect(again.map(({ node, time }) => `${node} ${time}`)).toEqual(hours.map(({ node, time }) => `${node} ${time}`));
    await opened.close();
  });
});

const STEPS = ['staged', 'written', 'published', 'switched', 'deleting', 'deleted'] as const;

describe('a close that is killed', () => {
  test.each(STEPS)('a close that is killed behind the step "%s" loses nothing and doubles nothing', async (step) => {
    const path = join(temporaryFolder(), 'sonar.db');
    const [late, early] = [
      threeDays.filter((_, index) => index % 5 === 0),
      threeDays.filter((_, index) => index % 5 > 0),
    ];
    const [first, clean] = [await store(early, path), await store(threeDays)];
    await first.close();
    const kill = () => {
      const program = join(import.meta.dirname, 'close-and-die.ts');
      const { signal } = spawnSync(process.execPath, [program, path, String(MUCH_LATER), step], {
        env: { ...process.env, NODE_COMPILE_CACHE: compiled },
      });
      expect(signal).toBe('SIGKILL');
    };
    // At the first close of a day, and at one that adds what came late.
    kill();
    const second = new EmbeddedStore(path);
    expect((await exported(second)).toSorted()).toEqual(early.toSorted());
    await close(second);
    expect(await add(second, threeDays)).toMatchObject({ stored: late.length });
    await second.close();
    kill();
    const third = new EmbeddedStore(path);
    expect(await jobsOf(third.rows, whole)).toEqual(await jobsOf(clean.rows, whole));
    await close(third);
    expect(await add(third, threeDays)).toMatchObject({ stored: 0 });
    expect(await jobsOf(third.rows, whole)).toEqual(await jobsOf(clean.rows, whole));
    expect((await exported(third)).toSorted()).toEqual(threeDays.toSorted());
    expect(third.database.get('select count(*) as n from leftover')?.['n']).toBe(0n);
    expect(globSync(join(`${path}-archive`, '.unfinished/*.parquet'))).toEqual([]);
    await Promise.all([third.close(), clean.close()]);
  });
});

it.skipIf(noSmallDisk)(
  'a full disk ends a close with an error, and the day stays as it was until there is room',
  async () => {
    const disk = smallDisk(4);
    const opened = await store(threeDays, join(disk, 'sonar.db'));
    const before = await exported(opened);
    const empty = fill(disk);
    await expect(close(opened)).rejects.toThrow(/space|full|I\/O error|write/i);
    expect(await exported(opened)).toEqual(before);
    expect(opened.database.get('select count(*) as n from closed_day')?.['n']).toBe(0n);
    empty();
    expect(await close(opened)).toEqual(['2026-03-01', '2026-03-02', '2026-03-03']);
    expect(await exported(opened)).toEqual(before);
    expect(globSync(join(disk, 'sonar.db-archive', '.unfinished/*.parquet'))).toEqual([]);
    await opened.close();
  },
);

const anyProcess = fc.record<SampleProcess>(
  {
    pid: fc.constantFrom(0, 1, 2, 2n ** 64n - 1n),
    ppid: fc.constantFrom(0, 1, 2),
    cmd: fc.constantFrom('', 'sh', 'burn', 'burn <defunct>', 'é\u0000'),
    cpu_time: fc.integer({ min: 0, max: 100_000 }),
    cpu_avg: fc.constantFrom(0, 12.5, 99.5, 1 / 3),
    resident_memory: fc.nat(),
    rolledup: fc.constantFrom(0, 3),
    gpus: fc.constantFrom([], [{ index: 1, uuid: 'A', gpu_util: 12.5, gpu_memory: 7 }], [{ uuid: 'B' }]),
  },
  { requiredKeys: [] },
);
const anySample = fc.record({
  time: fc.integer({ min: 0, max: 3 * 288 }).map((tick) => START + tick * 300),
  node: fc.constantFrom('n1.fox.org', 'n1', 'n2'),
  producer: fc.constantFrom('sonar', 'torc'),
  processes: fc.array(anyProcess, { maxLength: 3 }),
});

it('a column that came later is null for files of an earlier release, alone and together with files that have it', async () => {
  const opened = await store(threeDays);
  await close(opened);
  await opened.close();
  const files = globSync(`${opened.path}-archive/**/process-1.parquet`).toSorted();
  const [old = ''] = files;
  const connection = await (await (await loadDuckDB()).DuckDBInstance.create(':memory:')).connect();
  await connection.run(
    `copy (select * exclude (cpu_time) from read_parquet('${old}')) to '${old}.old' (format parquet)`,
  );
  renameSync(`${old}.old`, old);
  const counts = async (of: readonly string[], later?: readonly string[]) =>
    (await connection.run(`select count(*), count(cpu_time) from ${parquetTableOf('process', of, later)}`)).getRows();
  expect(await counts([old], ['cpu_time'])).toEqual([[24n, 0n]]);
  expect(await counts(files, ['cpu_time'])).toEqual([[72n, 48n]]);
  // Without its name in the list, the statement fails where no file has the column.
  await expect(counts([old])).rejects.toThrow('cpu_time');
  expect(await counts(files)).toEqual([[72n, 48n]]);
  connection.closeSync();
});

it('a store in memory closes no day and makes no folder', async () => {
  const opened = await store(threeDays, ':memory:');
  expect(await close(opened)).toEqual([]);
  expect(await exported(opened)).toHaveLength(threeDays.length);
  expect(existsSync(':memory:-archive')).toBe(false);
  await opened.close();
});

test('every answer and the export are the same however days are split into hot rows and files', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anySample, { minLength: 1, maxLength: 12 }),
      fc.array(fc.record({ at: fc.nat({ max: 12 }), days: fc.integer({ min: 0, max: 4 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
      async (samples, closes) => {
        const lines = samples.map(({ time, ...more }) => sampleAt(time, more));
        const [split, clean] = [await store([]), await store(lines)];
        for (const [index, line] of lines.entries()) {
          await add(split, [line]);
          for (const { at, days } of closes) if (at === index) await close(split, START + days * DAY);
        }
        expect(await exported(split)).toEqual(await exported(clean));
        expect(await answers(split)).toEqual(await answers(clean));
        // A window that begins and ends within days, and one that is over before the newest samples.
        const part = [START + 40_000, START + 2 * DAY - 3000] as const;
        expect(await answers(split, ...part)).toEqual(await answers(clean, ...part));
        await Promise.all([split.close(), clean.close()]);
      },
    ),
    { numRuns: 8 },
  );
});

it('a server closes the days that are old enough, deletes what has become too old, keeps an archive that was stored by hand, and says so', async () => {
  const path = join(temporaryFolder(), 'sonar.db');
  const now = Math.floor(Date.now() / 1000);
  const [archive, old, ...recent] = [800, 400, 30, 1].map((days) => sampleAt(now - days * DAY)) as [string, string];
  const filled = await store([], path);
  await add(filled, [old], now - 400 * DAY);
  await add(filled, [archive, ...recent], now);
  await filled.close();
  const program = join(import.meta.dirname, 'keep-and-report.ts');
  const { stdout } = spawnSync(process.execPath, [program, path, '2'], {
    timeout: 40_000,
    env: { ...process.env, NODE_COMPILE_CACHE: compiled },
    encoding: 'utf8',
  });
  expect(stdout.trim().split('\n').toSorted()).toEqual([
    'Days of telemetry were closed: {"days":2}',
    'Old telemetry was deleted: {"envelopes":1}',
  ]);
  const opened = new EmbeddedStore(path, { isReadOnly: true });
  expect(await exported(opened)).toEqual([archive, ...recent]);
  expect(opened.database.get('select count(*) as n from envelope')?.['n']).toBe(1n);
  await opened.close();
});

describe('torc sonar close', () => {
  it('torc sonar close closes the days before a time, and says what it closed', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'days.json'), threeDays.join('\n'));
    expect((await torc(['sonar', 'ingest', 'days.json', '--add-clusters'], { cwd })).code).toBe(0);
    const shown = await torc(['sonar', 'show', 'load', '--from', '2026-03-01', '-f', 'json'], { cwd });
    const closed = await torc(['sonar', 'close', '--before', '2026-03-03', '-f', 'json'], { cwd });
    expect(JSON.parse(closed.stdout)).toMatchObject({
      items: [
        { cluster: 'fox', day: '2026-03-01', samples: 24, processes: 24 },
        { cluster: 'fox', day: '2026-03-02', samples: 24, processes: 24 },
      ],
    });
    const again = await torc(['sonar', 'close', '--before', '2026-03-03'], { cwd });
    expect(again).toMatchObject({ code: 0, stdout: 'Nothing to close: no day before 2026-03-03 is open\n' });
    expect((await torc(['sonar', 'show', 'load', '--from', '2026-03-01', '-f', 'json'], { cwd })).stdout).toBe(
      shown.stdout,
    );
  });

  it('without DuckDB days stay open, everything else works, and the command says what to install', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'days.json'), threeDays.join('\n'));
    const hook = `import { registerHooks } from 'node:module';
      registerHooks({ resolve: (name, context, next) => {
        if (name.startsWith('@duckdb/')) throw new Error('Cannot find package @duckdb/node-api');
        return next(name, context);
      } });`;
    const without = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
    const sonar = (args: readonly string[], environment: Record<string, string> = without) =>
      torc(['sonar', ...args], { cwd, environment });
    expect((await sonar(['ingest', 'days.json', '--add-clusters'])).stdout).toBe('1 file: 72 stored\n');
    const refused = await sonar(['close', '--before', '2026-03-03']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('closed days need DuckDB');
    expect(refused.stderr).toContain('torc add duckdb');
    const questions = ['show', 'jobs', '--from', '2026-03-01', '-f', 'csv'];
    const whole = await sonar(questions);
    expect(whole.stdout.split('\n')[1]).toMatch(/^7,ada,/);
    expect((await sonar(['close', '--before', '2026-03-03'], {})).code).toBe(0);
    // An answer without its closed days would be a wrong one; of open days there is one.
    expect(await sonar(questions)).toMatchObject({ code: 1, stdout: '' });
    expect((await sonar(['show', 'jobs', '--from', '2026-03-03', '-f', 'csv'])).stdout.split('\n')[1]).toMatch(
      /^7,ada,/,
    );
    expect((await sonar(questions, {})).stdout).toBe(whole.stdout);
  });
});
