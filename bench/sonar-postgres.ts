/**
 * Telemetry in PostgreSQL beside the embedded store: how fast is it stored, and how long do questions take?
 *
 * `node bench/sonar-postgres.ts [nodes] [site nodes]`: a day of 20 nodes with 40 processes each goes into both stores, and jobs are asked for in
 * turns. Then 30 days of hours of a site of 1,000 nodes are put beside it, of which no samples are left, and long windows are asked for. The
 * server is Debian's, with its usual settings but `fsync`; its CPU time is that of all its processes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TICKS_PER_SECOND, parseStat } from '../src/cluster/host/proc.ts';
import { EnvelopeReader } from '../src/telemetry/format/envelope-reader.ts';
import { jobsOf } from '../src/telemetry/questions/jobs.ts';
import { loadOf } from '../src/telemetry/store/figures/load.ts';
import { profileOf } from '../src/telemetry/questions/profile.ts';
import { profileSteps } from '../src/telemetry/questions/profile-steps.ts';
import { uptimeOf } from '../src/telemetry/questions/uptime.ts';
import { openStore } from '../src/telemetry/store/open-store.ts';
import type { TelemetryStore } from '../src/telemetry/store/telemetry-store.ts';
import { PostgresServer, postgresIsMissing } from '../tests/sonar/postgres-server.ts';
import { argumentsOf } from './support/arguments.ts';
import { createFigures } from './support/figures.ts';
import { workplace } from './support/package.ts';
import { CLUSTER, linesOf, START, zipf } from './support/simulated-telemetry.ts';

const { nodes, siteNodes } = argumentsOf({ nodes: 20, siteNodes: 1_000 });
const [SAMPLES, PROCESSES, ASKED, DAYS] = [288, 40, 50, 30];
const DAY = 86_400;
/** Messages of a transaction, as a consumer of Kafka stores them. */
const PORTION = 500;

if (postgresIsMissing !== undefined) {
  console.log(`skipped: ${postgresIsMissing}`);
  process.exit(0);
}
const server = await PostgresServer.start();
const url = await server.newDatabase();
const { note, print } = createFigures();

/** CPU seconds of the server so far: of its processes, and of those that ended. */
function serverSeconds(): number {
  const main = Number(
    readFileSync(join(server.environment['PGHOST'] ?? '', 'data/postmaster.pid'), 'utf8').split('\n')[0],
  );
  let seconds = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = parseStat(readFileSync(`/proc/${name}/stat`));
      if (stat?.pid === main) seconds += stat.cpuSeconds + stat.waitedCpuSeconds;
      else if (stat?.parentPid === main) seconds += stat.cpuSeconds;
    } catch {
      // It has ended.
    }
  }
  return seconds;
}

interface Took {
  readonly ms: number;
  readonly ownMs: number;
  readonly serverMs: number;
}

async function timed(work: () => Promise<unknown>): Promise<Took> {
  const [other, own, begin] = [serverSeconds(), process.cpuUsage(), performance.now()];
  await work();
  const ms = performance.now() - begin;
  const { user, system } = process.cpuUsage(own);
  return {
    ms,
    ownMs: (user + system) / 1000,
    serverMs: (serverSeconds() - other) * 1000,
  };
}

const stores: Readonly<Record<string, TelemetryStore>> = {
  embedded: await openStore(join(workplace('sonar-postgres'), 'sonar.db')),
  PostgreSQL: await openStore(url),
};
const [embedded, postgres] = Object.values(stores) as [TelemetryStore, TelemetryStore];
const lines = [...linesOf({ shape: 'day', nodes, samples: SAMPLES, processes: PROCESSES, start: START })];
const rows = lines.length * PROCESSES;
console.log(`${rows} process rows; ticks of the clock of processes: ${TICKS_PER_SECOND} a second`);
for (const [name, store] of Object.entries(stores)) {
  await store.addCluster(CLUSTER, 0);
  const readBegin = performance.now();
  const portions = Array.from({ length: Math.ceil(lines.length / PORTION) }, (_, index) => {
    const reader = new EnvelopeReader();
    const text = lines.slice(index * PORTION, (index + 1) * PORTION).join('\n');
    return [...reader.push(Buffer.from(text)), ...reader.end()];
  });
  const readMs = performance.now() - readBegin;
  const took = await timed(async () => {
    // As files are stored: a portion is given to the store while the one before is on its way.
    let before: Promise<unknown> = Promise.resolve();
    for (const records of portions) {
      const stored = store.ingestEach(records, { received: START + 366 * 86_400, origin: 'bench' });
      await before;
      before = stored;
    }
    await before;
  });
  note(
    `${name}: stored, rows a second`,
    (rows / took.ms) * 1000,
    'rows/s',
    name === 'PostgreSQL' ? { atLeast: 50_000 } : undefined,
  );
  note(`${name}: with reading of JSON`, (rows / (readMs + took.ms)) * 1000, 'rows/s');
  note(`${name}: stored, rows a second of CPU`, (rows / took.ownMs) * 1000, 'rows/s');
  if (name === 'PostgreSQL')
    note('PostgreSQL: rows a second of CPU of the server', (rows / took.serverMs) * 1000, 'rows/s', {
      atLeast: 50_000,
    });
}

/** Every store is asked the same in turns: what the machine does beside it meets both. */
const jobs = Array.from({ length: ASKED }, () => zipf(20_000));
const day = { from: START, until: START + DAY };
async function compare(question: string, ask: (store: TelemetryStore, job: number) => Promise<unknown>): Promise<void> {
  const points = new Map<string, Took[]>(Object.keys(stores).map((name) => [name, []]));
  for (const job of jobs.slice(0, 5)) for (const store of Object.values(stores)) await ask(store, job);
  for (const job of jobs)
    for (const [name, store] of Object.entries(stores)) points.get(name)?.push(await timed(() => ask(store, job)));
  const all = (name: string, of: (took: Took) => number) => (points.get(name) ?? []).map(of);
  const at = (name: string, share: number) =>
    all(name, ({ ms }) => ms).toSorted((one, other) => one - other)[Math.floor(ASKED * share)] ?? 0;
  const sum = (name: string, of: (took: Took) => number) => all(name, of).reduce((total, each) => total + each, 0);
  for (const name of Object.keys(stores)) {
    note(`${name}: ${question}, median`, at(name, 0.5), 'ms');
    note(`${name}: ${question}, p95`, at(name, 0.95), 'ms');
  }
  const ratio = (what: string, of: (name: string) => number) =>
    note(`${what}, PostgreSQL / embedded`, of('PostgreSQL') / of('embedded'), '', { atMost: 3 });
  ratio(`${question}, median`, (name) => at(name, 0.5));
  ratio(`${question}, p95`, (name) => at(name, 0.95));
  ratio(`${question}, ${ASKED} jobs`, (name) => sum(name, ({ ms }) => ms));
  ratio(`${question}, CPU of ${ASKED} jobs`, (name) => sum(name, ({ ownMs, serverMs }) => ownMs + serverMs));
}
await compare('profile with processes', (store, job) => profileOf(store.rows, day, { job }));
await compare('profile', (store, job) => profileSteps(store.rows, day, { job }));

const closing = await timed(async () => {
  for await (const { samples } of postgres.closeDays?.({ before: START + DAY, now: START + DAY }) ?? [])
    if (samples !== lines.length) throw new Error(`${samples} samples of ${lines.length}`);
});
note('PostgreSQL: hours of the day', closing.ms / 1000, 's');

// Hours of a site whose samples are gone, before the day that has samples.
await server.query(
  url,
  `insert into sonar.node (cluster, name, short) select 1, 's' || n || '.bench.test', 's' || n from generate_series(1, ${siteNodes}) n`,
);
await server.query(
  url,
  `insert into sonar.day select 1, d, 1, true from generate_series(${START / DAY - DAYS}, ${START / DAY - 1}) d`,
);
await server.query(
  url,
  `insert into sonar.node_hour select 1, t, n.id, t, t + 3300, ${START - 1e7}, 12, 64, (t + n.id) % 6400, 1e7, 3, 4, 50, 1e6
   from generate_series(${START - DAYS * DAY}, ${START - 3600}, 3600) t, sonar.node n where n.name like 's%' order by t, n.id`,
);
await server.query(
  url,
  `insert into sonar.job_hour select 1, t, n.id, 100000 + (t / 43200) * ${siteNodes} + n.id % 700 + j, 0, 1 + j, 1 + j, t, t + 3300, 12, 8, 1800, 90, 1e6, 2e6, 0, 0, ''
   from generate_series(${START - 7 * DAY}, ${START - 3600}, 3600) t, sonar.node n, generate_series(1, 4) j where n.name like 's%' order by t, n.id, j`,
);
await server.query(
  url,
  `insert into sonar.node_day select cluster, time - time % 86400 as day, node, min(first), max(last), max(boot), sum(samples), 64, avg(cpu_percent), 1e7, 3, 4, 50, 1e6
   from sonar.node_hour where time < ${START} group by 1, 2, 3 order by 2, 3`,
);
await server.query(
  url,
  `insert into sonar.job_day select cluster, time - time % 86400 as day, node, job, 0, "user", cmd, min(first), max(last), sum(samples), 8, sum(cpu_seconds), 90, 1e6, 2e6, 0, 0, ''
   from sonar.job_hour where time < ${START} group by 1, 2, 3, 4, 6, 7 order by 2, 3`,
);
await server.query(url, 'vacuum analyze');
const month = { from: START - DAYS * DAY, until: START };
const week = { from: START - 7 * DAY, until: START };
const job = 100_000 + ((START - DAY) / 43_200) * siteNodes + 300;
const ranges: Readonly<Record<string, () => Promise<readonly unknown[]>>> = {
  [`load of ${siteNodes} nodes, 30 days by day`]: () => loadOf(postgres.rows, month, DAY),
  [`load of one node, 30 days by hour`]: () => loadOf(postgres.rows, { ...month, node: 's7' }, 3600),
  [`load of ${siteNodes} nodes, a week by 12 hours`]: () => loadOf(postgres.rows, week, DAY / 2),
  'uptime of one node, 30 days': () => uptimeOf(postgres.rows, { ...month, node: 's7' }),
  'profile of a job in a week': async () => (await profileOf(postgres.rows, week, { job })).steps,
  'jobs of one node, a week': () => jobsOf(postgres.rows, { ...week, node: 's7' }),
  [`jobs of ${siteNodes} nodes, a day`]: () => jobsOf(postgres.rows, { from: START - DAY, until: START }),
  [`jobs of ${siteNodes} nodes, a week`]: () => jobsOf(postgres.rows, week),
};
for (const [name, ask] of Object.entries(ranges)) {
  const took: Took[] = [];
  for (let time = 0; time < 5; time++)
    took.push(
      await timed(async () => {
        if ((await ask()).length === 0) throw new Error(`${name}: no answer`);
      }),
    );
  const [, , median] = took.toSorted((one, other) => one.ms - other.ms);
  note(`PostgreSQL: ${name}`, median?.ms ?? 0, 'ms', { atMost: 500 });
  console.log(`    CPU: ${median?.ownMs.toFixed(0)} ms here, ${median?.serverMs.toFixed(0)} ms in the server`);
}
print();
await embedded.close();
await postgres.close();
await server.stop();
