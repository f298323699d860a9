import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { unchangedCompat } from '../../src/core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../../src/core/contract/sonar/encode.ts';
import type { Envelope } from '../../src/core/contract/sonar/envelope.ts';
import type { SonarSlurmJob } from '../../src/core/contract/sonar/jobs.ts';
import { EnvelopeReader, type EnvelopeRecord } from '../../src/telemetry/format/envelope-reader.ts';
import { mergeRecord, mergedValues } from '../../src/telemetry/store/rows/merged-job.ts';
import { EmbeddedStore } from '../../src/telemetry/store/embedded/embedded-store.ts';
import { ingestInto } from '../../src/telemetry/receive/files/ingest.ts';
import { start, temporaryFolder, torc } from '../support/programs.ts';
import { fill, noSmallDisk, smallDisk } from '../support/small-disk.ts';
import { edges } from './edge.ts';
import { everyField, jobs, sample } from './every-field.ts';

const START = 1_772_323_200;
const options = { received: 1_772_323_200 + 366 * 86_400, origin: 'test' };
const written = (envelope: Envelope): string => encodeEnvelope(envelope, unchangedCompat);

function recordsIn(text: string | Buffer): EnvelopeRecord[] {
  const reader = new EnvelopeReader();
  return [...reader.push(Buffer.from(text as string)), ...reader.end()];
}

async function storeWith(...clusters: readonly string[]): Promise<EmbeddedStore> {
  const store = new EmbeddedStore(':memory:');
  for (const name of clusters) await store.addCluster(name, 0);
  return store;
}

const exported = (store: EmbeddedStore): Promise<string[]> =>
  Array.fromAsync(store.envelopes(), ({ envelope }) => written(envelope));

/** What every question is answered from. */
const contents = async (store: EmbeddedStore): Promise<unknown[]> => [
  (await exported(store)).toSorted(),
  store.database.all(
    'select cluster, job_id, step, state, user, submit, start, "end", seen, fields from job order by 1, 2, 3',
  ),
];

describe('the round trip', () => {
  test.each(Object.entries(everyField))(
    '%s with every field comes out of the store as it went in',
    async (_type, envelope) => {
      const store = await storeWith('fox.test');
      expect((await ingestInto(store, recordsIn(written(envelope)), options)).stored).toBe(1);
      expect(await exported(store)).toEqual([written(envelope)]);
    },
  );

  it('the store keeps unknown members at any depth, and forgets tokens', async () => {
    const store = await storeWith('fox.test');
    const [job, second] = sample.data.attributes.jobs ?? [];
    const strange = {
      ...sample,
      meta: { ...sample.meta, token: 'secret', colour: 'red' },
      zappa: [1, { a: 2n ** 64n - 1n }],
      data: {
        ...sample.data,
        frank: null,
        attributes: { ...sample.data.attributes, jobs: [{ ...job, hot: 'rats' }, second] },
      },
    } as unknown as Envelope;
    await ingestInto(store, recordsIn(written(strange)), options);
    const out = (await exported(store))[0] ?? '';
    expect(out).toBe(written(strange).replace(',"token":"secret"', ''));
    expect(JSON.stringify(store.database.all('select name from source'))).not.toContain('secret');
  });

  it('stores an envelope of errors, a heartbeat, and a job without processes', async () => {
    const store = await storeWith('fox.test');
    const attributes = { time: '2026-01-01T00:00:00+00:00', cluster: 'fox.test', node: 'n' };
    const errors = sample.data.attributes.errors ?? [];
    const lines = [
      written({ meta: sample.meta, data: { type: 'sample', attributes: { ...attributes, jobs: [] } } }),
      written({
        meta: sample.meta,
        data: { type: 'sample', attributes: { ...attributes, jobs: [{ job: 1, user: 'u' }] } },
      }),
      written({ meta: sample.meta, errors }),
    ];
    expect((await ingestInto(store, recordsIn(lines.join('\n')), options)).stored).toBe(3);
    expect(await exported(store)).toEqual(lines);
  });

  const corpus = process.env['SONAR_CORPUS'];
  it.skipIf(corpus === undefined)(
    'every envelope of a corpus of Sonar comes out of the store as it went in',
    async () => {
      const files = readdirSync(corpus ?? '', { recursive: true, encoding: 'utf8' }).filter(
        (file) => file.endsWith('.json') && !file.includes('edge/reader'),
      );
      for (const file of files) {
        const records = recordsIn(readFileSync(join(corpus ?? '', file))).filter(
          ({ envelope }) => envelope?.data !== undefined,
        );
        const named = records.filter(({ envelope }) => envelope?.data?.attributes.cluster !== undefined);
        const store = await storeWith(...named.map(({ envelope }) => envelope?.data?.attributes.cluster ?? ''));
        await ingestInto(store, named, options);
        const sent = new Set(
          named.map(({ envelope }) => written({ ...envelope, meta: { ...envelope?.meta, token: '' } } as Envelope)),
        );
        expect({ file, out: (await exported(store)).toSorted() }).toEqual({ file, out: [...sent].toSorted() });
      }
    },
  );
});

describe('ingestion', () => {
  it('stores nothing twice, and keeps what it cannot use without its secrets', async () => {
    const store = await storeWith('c');
    const bad = `{"meta":{"producer":"p","version":"1","token":"hush \\" hush"},"data":{"type":"nothing"}}`;
    const records = recordsIn(
      `${edges.find(({ name }) => name === 'good_then_bad_then_good')?.bytes.toString()}\n${bad}`,
    );
    const counts = [await ingestInto(store, records, options), await ingestInto(store, records, options)];
    expect(counts.map(({ stored, repeated, quarantined }) => [stored, repeated, quarantined])).toEqual([
      [1, 1, 2],
      [0, 2, 2],
    ]);
    const rows = store.database.all('select position, problem, raw from quarantine order by id');
    expect(rows.map(({ position }) => position)).toEqual(['record 2 (line 2)', 'record 4 (line 4)']);
    expect(rows[0]?.['problem']).toContain('jobs[0].processes[0].pid: found -1');
    expect(rows.map(({ raw }) => Buffer.from(raw as Uint8Array).toString('latin1')).join('')).not.toContain('hush');
  });

  it('stores no data of clusters that were not added', async () => {
    const store = await storeWith('other');
    const counts = await ingestInto(store, recordsIn(written(sample)), options);
    expect([...counts.unknownClusters]).toEqual([['fox.test', 1]]);
    expect(await exported(store)).toEqual([]);
  });

  const states = fc.constantFrom('PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'NODE_FAIL', 'CANCELLED by 7');
  const record = fc.record<SonarSlurmJob>(
    {
      job_id: fc.constantFrom(7, 2n ** 64n - 1n),
      job_step: fc.constantFrom('', '0', 'batch'),
      job_state: states,
      user_name: fc.constantFrom('', 'alice', 'bob'),
      priority: fc.constantFrom(0, 1, 100),
      start_time: fc.constantFrom(
        '2026-03-01T00:00:00+00:00',
        '2026-03-01T01:00:00+01:00',
        '2026-03-02T00:00:00+00:00',
      ),
      end_time: fc.constantFrom('2026-03-03T00:00:00+00:00'),
      exit_code: fc.integer({ min: 0, max: 2 }),
      nodes: fc.constantFrom([], ['n1'], ['None assigned'], ['n1', 'n2']),
      sacct: fc.record({ UserCPU: fc.integer({ min: 0, max: 3 }) }),
    },
    { requiredKeys: ['job_id', 'job_state'] },
  );
  const time = fc.constantFrom(
    '2026-03-01T00:00:00+00:00',
    '2026-03-01T01:00:00+01:00',
    '2026-03-01T00:00:00+01:00',
    '2026-03-02T00:00:00+00:00',
  );
  const message = fc.record({ time, slurm_jobs: fc.array(record, { maxLength: 4 }) });

  test('any order and any repetition of a capture give the same rows', () => {
    return fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 6 }), fc.infiniteStream(fc.nat()), async (messages, numbers) => {
        const texts = messages.map((attributes) =>
          written({ ...jobs, data: { type: 'job', attributes: { ...attributes, cluster: 'c' } } }),
        );
        const [once, often] = [await storeWith('c'), await storeWith('c')];
        await ingestInto(once, recordsIn(texts.join('\n')), options);
        const shuffled = [...texts, ...texts]
          .map((text) => ({ text, at: numbers.next().value ?? 0 }))
          .toSorted((a, b) => a.at - b.at);
        for (const { text } of shuffled) await ingestInto(often, recordsIn(text), options);
        expect(await contents(often)).toEqual(await contents(once));
      }),
      { numRuns: 60 },
    );
  });
});

describe('merging the records of a Slurm job', () => {
  const meta = { producer: 'sonar', version: '0.19.0' };
  const rowOf = (...records: readonly (readonly [time: number, record: Omit<SonarSlurmJob, 'job_id'>])[]) =>
    mergedValues(records.reduce((row, [at, each]) => mergeRecord(row, { job_id: 1, ...each }, at, meta), {}));

  it('the merge of Slurm records takes each field from the latest record that has it', () => {
    const row = rowOf(
      [30, { job_state: 'COMPLETED', end_time: '2026-03-01T00:00:00+00:00' }],
      [10, { job_state: 'PENDING', user_name: 'alice', priority: 5 }],
      [20, { job_state: 'RUNNING', priority: 7, nodes: ['n1'] }],
    );
    expect(row).toEqual({
      job_state: 'COMPLETED',
      end_time: '2026-03-01T00:00:00+00:00',
      user_name: 'alice',
      priority: 7,
      nodes: ['n1'],
    });
  });

  it('prefers the finished record at the same time', () => {
    expect(rowOf([10, { job_state: 'COMPLETED' }], [10, { job_state: 'RUNNING' }])).toEqual({ job_state: 'COMPLETED' });
  });

  it('clears what the first attempt of a requeued job left, in whatever order records arrive', () => {
    const first = [
      10,
      {
        job_state: 'NODE_FAIL',
        end_time: '2026-03-01T00:00:00+00:00',
        exit_code: 9,
        sacct: { UserCPU: 5 },
        user_name: 'a',
      },
    ] as const;
    const again = [20, { job_state: 'PENDING' }] as const;
    expect(rowOf(first, again)).toEqual({ job_state: 'PENDING', user_name: 'a' });
    expect(rowOf(again, first)).toEqual({ job_state: 'PENDING', user_name: 'a' });
    expect(rowOf(again, first, [30, { job_state: 'COMPLETED', sacct: { UserCPU: 6 } }])).toEqual({
      job_state: 'COMPLETED',
      user_name: 'a',
      'sacct.UserCPU': 6,
    });
  });

  it('the merge of Slurm records reads the time limit as its producer writes it', () => {
    const limit = (producer: string) =>
      mergedValues(mergeRecord({}, { job_id: 1, job_state: 'PENDING', time_limit: 62 }, 1, { producer, version: '1' }))[
        'time_limit'
      ];
    expect([limit('sonar'), limit('torc'), limit('other')]).toEqual([62, 62, 3602]);
  });
});

it('pruning deletes what is older with all its rows, and keeps the newest facts and the records of jobs', async () => {
  const store = await storeWith('fox.test');
  const at = (type: keyof typeof everyField, time: string) => {
    const { meta, data } = everyField[type];
    return written({ meta, data: { type, attributes: { ...data.attributes, time } } } as Envelope);
  };
  const times = ['2026-03-01T00:00:00+00:00', '2026-03-02T00:00:00+00:00'];
  const kept = (['sample', 'sysinfo', 'job', 'cluster'] as const).map((type) => at(type, times[1] ?? ''));
  await ingestInto(store, recordsIn(kept.join('\n')), options);
  const counts = () =>
    [
      'process',
      'process_gpu',
      'node_sample',
      'gpu_sample',
      'disk_sample',
      'sample_job',
      'job_event',
      'content',
      'job',
      'topology',
    ].map((table) => store.database.get(`select count(*) as n from ${table}`)?.['n']);
  const before = counts();
  await ingestInto(
    store,
    recordsIn((['sample', 'sysinfo', 'job', 'cluster'] as const).map((type) => at(type, times[0] ?? '')).join('\n')),
    options,
  );
  expect(await store.prune(START + 86_400)).toBe(4);
  expect((await exported(store)).toSorted()).toEqual(kept.toSorted());
  expect(counts()).toEqual(before);
  // Everything is older now: samples and messages of jobs go, and what says what things are stays.
  expect(await store.prune(START + 10 * 86_400)).toBe(2);
  expect((await Array.fromAsync(store.envelopes(), ({ type }) => type)).toSorted()).toEqual(['cluster', 'sysinfo']);
  expect(store.database.get('select count(*) as n from job')?.['n']).toBe(2n);
});

describe('the commands', () => {
  /** A tree as the directory sink writes it, with 300 samples in files of two days, one of them packed. */
  function tree(folder: string): string {
    const line = (index: number) =>
      written({
        ...sample,
        data: {
          type: 'sample',
          attributes: {
            ...sample.data.attributes,
            time: `2026-03-0${1 + (index % 2)}T00:${String(Math.floor(index / 60)).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}+00:00`,
          },
        },
      });
    for (const day of [0, 1]) {
      const path = join(folder, 'data/fox.test/2026/03', `0${day + 1}`);
      mkdirSync(path, { recursive: true });
      const lines = Array.from({ length: 150 }, (_, index) => line(index * 2 + day)).join('\n');
      if (day === 0) writeFileSync(join(path, '0+sample-c1.json'), `${lines}\n`);
      else writeFileSync(join(path, '0+sample-c1.json.gz'), gzipSync(lines));
    }
    return join(folder, 'data');
  }

  it('the files of a store that a command makes are private, closed days too, and the umask lets the group read them', async () => {
    const modes = (cwd: string) =>
      readdirSync(cwd, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.startsWith('sonar'))
        .map((path) => statSync(join(cwd, path)))
        .map((stats) => `${stats.isDirectory() ? 'd' : 'f'}${(stats.mode & 0o777).toString(8)}`);
    for (const [umask, expected] of [
      ['', ['d700', 'f600']],
      ['027', ['d750', 'f640']],
    ] as const) {
      const cwd = temporaryFolder();
      tree(cwd);
      const environment = umask === '' ? {} : { TORC_UMASK: umask };
      await torc(['sonar', 'ingest', 'data', '--add-clusters', '--store', 'sonar.db'], { cwd, environment });
      const closed = await torc(['sonar', 'close', '--store', 'sonar.db'], { cwd, environment });
      expect(closed.code).toBe(0);
      expect([...new Set(modes(cwd))].sort()).toEqual(expected);
    }
  });

  it('an exported tree is what was ingested, and its ingestion stores nothing new', async () => {
    const cwd = temporaryFolder();
    tree(cwd);
    const first = await torc(['sonar', 'ingest', 'data', '--add-clusters'], { cwd });
    expect(first).toMatchObject({ stdout: '2 files: 300 stored\n', code: 0 });
    const out = await torc(['sonar', 'export', '--dir', 'out'], { cwd });
    expect(out).toMatchObject({ stderr: '300 envelopes written to out\n', code: 0 });
    expect(readFileSync(join(cwd, 'out/fox.test/2026/03/01/0+sample-c1-2.fox.test.json'), 'utf8')).toBe(
      readFileSync(join(cwd, 'data/fox.test/2026/03/01/0+sample-c1.json'), 'utf8'),
    );
    const second = await torc(['sonar', 'ingest', 'out', 'data', '-f', 'json'], { cwd });
    expect(JSON.parse(second.stdout)).toEqual({
      files: 4,
      stored: 0,
      repeated: 600,
      quarantined: 0,
      unknown_clusters: {},
      unreadable: [],
      links: 0,
    });
    const list = await torc(['sonar', 'clusters', 'list', '-f', 'json'], { cwd });
    expect(JSON.parse(list.stdout)).toEqual({
      items: [{ name: 'fox.test', nodes: 1, envelopes: 300, newest: '2026-03-02T00:04:59+00:00' }],
    });
  });

  it('an ingest that was killed and repeated leaves the same as one that was not', async () => {
    const cwd = temporaryFolder();
    const data = tree(cwd);
    for (let copy = 0; copy < 4; copy++) cpSync(data, join(cwd, 'more', String(copy)), { recursive: true });
    for (let kill = 0; kill < 3; kill++) {
      const { child, ended } = start('torc', ['sonar', 'ingest', 'data', 'more', '--add-clusters'], { cwd });
      // Each time a little later: in the start, in the first file, between files.
      const file = join(cwd, 'sonar.db-wal');
      for (let polls = 0; child.exitCode === null && polls < 4000 && !existsSync(file); polls++)
        await new Promise((resolve) => setTimeout(resolve, 2));
      await new Promise((resolve) => setTimeout(resolve, kill * 40));
      child.kill('SIGKILL');
      await ended;
    }
    expect((await torc(['sonar', 'ingest', 'data', 'more', '--add-clusters'], { cwd })).code).toBe(0);
    const [killed, clean] = [new EmbeddedStore(join(cwd, 'sonar.db')), await storeWith('fox.test')];
    for (const file of ['01/0+sample-c1.json', '02/0+sample-c1.json.gz']) {
      const reader = await import('../../src/telemetry/format/files.ts');
      for await (const records of reader.recordsOfFiles(join(data, 'fox.test/2026/03', file)))
        await ingestInto(clean, records, options);
    }
    expect(await contents(killed)).toEqual(await contents(clean));
    await killed.close();
  });

  it('names the cluster that is missing, and what adds it', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'one.json'), written(sample));
    const refused = await torc(['sonar', 'ingest', 'one.json'], { cwd });
    expect(refused.stderr).toContain('the store has no cluster fox.test; torc sonar clusters add fox.test');
    expect(refused).toMatchObject({ stdout: '1 file: 0 stored, 1 of unknown clusters\n', code: 1 });
    expect((await torc(['sonar', 'clusters', 'add', 'fox.test'], { cwd })).stdout).toBe('Added cluster fox.test\n');
    expect((await torc(['sonar', 'ingest', 'one.json'], { cwd })).stdout).toBe('1 file: 1 stored\n');
    expect((await torc(['sonar', 'export'], { cwd })).stdout).toBe(`${written(sample)}\n`);
    expect((await torc(['sonar', 'export', '--from', '2026-03-02'], { cwd })).stdout).toBe('');
  });

  it.skipIf(noSmallDisk)(
    'a full disk ends an ingest with a clear error, and the repeated ingest stores everything',
    async () => {
      const cwd = temporaryFolder();
      tree(cwd);
      const disk = smallDisk(4);
      const store = join(disk, 'sonar.db');
      await torc(['sonar', 'clusters', 'add', 'fox.test', '--store', store], { cwd });
      const empty = fill(disk);
      const full = await torc(['sonar', 'ingest', 'data', '--store', store], { cwd });
      expect(full.stderr).toMatch(/^Error: .*the store .*: (database or disk is full|disk I\/O error)/);
      expect(full.code).toBe(1);
      empty();
      const again = await torc(['sonar', 'ingest', 'data', '--store', store], { cwd });
      expect(again).toMatchObject({ code: 0, stdout: '2 files: 300 stored\n' });
    },
  );

  it('a damaged file of several costs what stands behind the damage, and no other file', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a.json.gz'), gzipSync(`${written(sample)}\n`.repeat(3)).subarray(0, 60));
    writeFileSync(join(cwd, 'b.json'), written(sample));
    const { stdout, stderr, code } = await torc(['sonar', 'ingest', 'a.json.gz', 'b.json', '--add-clusters'], { cwd });
    expect(stderr).toContain('a.json.gz cannot be read to its end: unexpected end of file');
    expect({ stdout, code }).toEqual({ stdout: '2 files: 1 stored\n', code: 1 });
    const empty = await torc(['sonar', 'ingest', temporaryFolder()], { cwd });
    expect(empty.stderr).toContain('no files of envelopes in');
    expect(empty.code).toBe(1);
    const missing = await torc(['sonar', 'ingest', 'missing.json'], { cwd });
    expect(missing.stderr).toContain('cannot read missing.json: there is no such file or folder (ENOENT)');
    expect(missing.code).toBe(1);
  });

  it('an ingest stores which processes belong to which attempts once, and the profile of their job names the attempts', async () => {
    const cwd = temporaryFolder();
    const link = (pid: number, attempt: number) =>
      `{"cluster":"fox.test","node":"c1","time":${START},"kind":"process","job":4711,"epoch":0,"pid":${pid},"start":5,"workflow":1,"workflow_job":7,"run":1,"attempt":${attempt},"slurm_job":4711,"step":"0"}`;
    const end = `{"cluster":"fox.test","node":"c1","time":${START},"kind":"end","pid":1,"workflow":1,"workflow_job":7,"run":1,"attempt":1}`;
    const lines = [
      link(1, 1),
      link(2, 1),
      end,
      '[]',
      'null',
      '{"kind":"process"}',
      link(3, 2),
      link(4, 2).slice(0, 90),
    ];
    writeFileSync(join(cwd, 'c1.links'), lines.join('\n'));
    writeFileSync(join(cwd, 'sample.json'), written(sample));
    const again = ['sonar', 'ingest', '.', '--add-clusters'];
    expect((await torc(again, { cwd })).stdout).toBe('1 file: 1 stored, 3 links to workflow jobs\n');
    expect((await torc(again, { cwd })).stdout).toBe('1 file: 0 stored, 1 already there\n');
    const words = ['sonar', 'show', 'profile', '4711', '--from', '2026-03-01', '--to', '2026-03-02'];
    expect((await torc(words, { cwd })).stdout).toContain(
      'Job 4711: workflow 1, job 7, run 1, attempt 1; workflow 1, job 7, run 1, attempt 2',
    );
  });

  it('torc sonar says where no store is', async () => {
    const { stderr, code } = await torc(['sonar', 'export'], { cwd: temporaryFolder() });
    expect(stderr).toContain('there is no store at sonar.db; torc sonar ingest makes one, --store names another');
    expect(code).toBe(1);
  });
});
