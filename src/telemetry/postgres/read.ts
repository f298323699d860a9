import type { Envelope, MessageType } from '../../core/contract/sonar/envelope.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';
import type { SampleJob, SampleProcess } from '../../core/contract/sonar/sample.ts';
import { formatTimestamp } from '../../core/contract/sonar/timestamp.ts';
import { fromInteger, fromSigned } from '../store/numbers.ts';
import { storedJson } from '../questions/stored-json.ts';
import type { Selection, StoredEnvelope } from '../store/telemetry-store.ts';
import { putUnknownMembers, type UnknownMember } from '../store/unknown-members.ts';
import type { PgConnection } from './connection.ts';
import type { PgCell, PgRow } from './library.ts';

/** Envelopes that are read at once, with all their rows. */
const PAGE = 500;

/** Envelopes in the order of their times, made of their rows: equal to those that were stored. */
export async function* readEnvelopes(
  db: PgConnection,
  { cluster, node, types, from, until }: Selection,
): AsyncGenerator<StoredEnvelope> {
  let last: readonly [time: string, id: string] | undefined;
  for (;;) {
    const heads = await db.query(
      `select e.time, e.id, e.type, e.zone, c.name as cluster, n.name as node, s.name as source, b.text as body, v.text as svg,
         t.text as words, e.members
       from sonar.envelope e
       join sonar.cluster c on c.id = e.cluster
       join sonar.source s on s.id = e.source
       left join sonar.node n on n.id = e.node
       left join sonar.content b on b.id = e.content
       left join sonar.content v on v.id = e.topo_svg
       left join sonar.content t on t.id = e.topo_text
       where ($1::text is null or c.name = $1)
         and ($2::text is null or n.name = $2 or n.short = $2)
         and ($3::text[] is null or e.type = any($3))
         and e.time >= $4::bigint and e.time < $5::bigint
         and ($6::bigint is null or (e.time, e.id) > ($6, $7::bigint))
       order by e.time, e.id limit ${PAGE}`,
      cluster ?? null,
      node ?? null,
      types ?? null,
      last?.[0] ?? from ?? LEAST,
      until ?? GREATEST,
      last?.[0] ?? null,
      last?.[1] ?? null,
    );
    const page = await Page.of(db, heads);
    for (const head of heads) yield page.envelopeOf(head);
    const end = heads.at(-1);
    if (end === undefined || heads.length < PAGE) return;
    last = [String(end['time']), String(end['id'])];
  }
}

const LEAST = '-9223372036854775808';
const GREATEST = '9223372036854775807';

type ById = ReadonlyMap<PgCell, readonly PgRow[]>;

/** The rows of a page of envelopes. */
class Page {
  readonly #tables: Readonly<Record<string, ById>>;

  private constructor(tables: Readonly<Record<string, ById>>) {
    this.#tables = tables;
  }

  static async of(db: PgConnection, heads: readonly PgRow[]): Promise<Page> {
    const tables: Record<string, ById> = {};
    for (const [table, { types, sql }] of Object.entries(QUERIES)) {
      const chosen = heads.filter(({ type }) => types === type);
      if (chosen.length === 0) continue;
      const rows = await db.query(
        sql,
        chosen.map(({ id }) => String(id)),
        // The times choose the days that are read.
        String(chosen[0]?.['time']),
        String(chosen.at(-1)?.['time']),
      );
      tables[table] = Map.groupBy(rows, ({ envelope }) => envelope ?? null);
    }
    return new Page(tables);
  }

  #rows(table: string, id: PgCell): readonly PgRow[] {
    return this.#tables[table]?.get(id) ?? [];
  }

  envelopeOf(row: PgRow): StoredEnvelope {
    const type = String(row['type']) as StoredEnvelope['type'];
    const time = Number(row['time']);
    const cluster = String(row['cluster']);
    const node = row['node'] === null ? undefined : String(row['node']);
    const meta = storedJson(String(row['source']));
    const body = row['body'] === null ? undefined : storedJson(String(row['body']));
    const head = given({ time: formatTimestamp(time, Number(row['zone'])), cluster, node });
    const envelope =
      type === 'error'
        ? { meta, errors: body }
        : { meta, data: { type, attributes: { ...head, ...this.#bodyOf(type, row, body) } } };
    if (row['members'] !== null)
      putUnknownMembers(envelope, storedJson(String(row['members'])) as readonly UnknownMember[]);
    return { cluster, node, type, time, envelope: envelope as Envelope };
  }

  #bodyOf(type: MessageType, row: PgRow, body: unknown): object {
    const id = row['id'] ?? null;
    switch (type) {
      case 'sample':
        return given({ system: this.#systemOf(id), jobs: this.#jobsOf(id), errors: body });
      case 'sysinfo':
        return {
          ...(body as object),
          ...given({ topo_svg: row['svg'] ?? undefined, topo_text: row['words'] ?? undefined }),
        };
      case 'cluster':
        return body as object;
      case 'job':
        return { slurm_jobs: this.#rows('job_event', id).map(slurmJobOf) };
    }
  }

  #systemOf(id: PgCell): object | undefined {
    const [row] = this.#rows('node_sample', id);
    if (row === undefined) return undefined;
    const some = <Item>(items: readonly Item[]) => (items.length === 0 ? undefined : items);
    return given({
      boot: row['boot'] === null ? undefined : formatTimestamp(Number(row['boot']), Number(row['boot_zone'])),
      cpus: some(listOf(row['cpus'])),
      gpus: some(this.#rows('gpu_sample', id).map(gpuOf)),
      disks: some(this.#rows('disk_sample', id).map(diskOf)),
      used_memory: uint(row, 'used_memory'),
      load1: float(row, 'load1'),
      load5: float(row, 'load5'),
      load15: float(row, 'load15'),
      runnable_entities: uint(row, 'runnable'),
      existing_entities: uint(row, 'existing'),
    });
  }

  #jobsOf(id: PgCell): SampleJob[] {
    const gpus = Map.groupBy(this.#rows('process_gpu', id), ({ slot, ord }) => `${Number(slot)} ${Number(ord)}`);
    const slots = Map.groupBy(this.#rows('process', id), ({ slot }) => Number(slot));
    return [...slots.values()].map((rows) => {
      const [first = {}] = rows;
      const epoch = uint(first, 'epoch');
      return given({
        job: uint(first, 'job'),
        user: String(first['user_name']),
        epoch: epoch === 0 ? undefined : epoch,
        processes: rows
          .filter(({ ord }) => ord !== null)
          .map((row) => processOf(row, gpus.get(`${Number(row['slot'])} ${Number(row['ord'])}`) ?? [])),
      });
    });
  }
}

const BY_ENVELOPE = 'where r.envelope = any($1::bigint[]) and r.time between $2::bigint and $3::bigint';

/** What belongs to a page of envelopes, in the order of their messages. */
const QUERIES: Readonly<Record<string, { readonly types: MessageType; readonly sql: string }>> = {
  process: {
    types: 'sample',
    sql: `select r.*, u.name as user_name, m.name as cmd_name from sonar.process r join sonar."user" u on u.id = r."user"
      left join sonar.cmd m on m.id = r.cmd ${BY_ENVELOPE} order by r.envelope, r.slot, r.ord`,
  },
  process_gpu: {
    types: 'sample',
    sql: `select r.*, g.name as uuid from sonar.process_gpu r join sonar.gpu g on g.id = r.gpu ${BY_ENVELOPE}
      order by r.envelope, r.slot, r.ord, r.item`,
  },
  node_sample: { types: 'sample', sql: `select r.* from sonar.node_sample r ${BY_ENVELOPE}` },
  gpu_sample: {
    types: 'sample',
    sql: `select r.*, g.name as uuid from sonar.gpu_sample r join sonar.gpu g on g.id = r.gpu ${BY_ENVELOPE}
      order by r.envelope, r.item`,
  },
  disk_sample: {
    types: 'sample',
    sql: `select r.*, d.name as disk_name from sonar.disk_sample r join sonar.disk d on d.id = r.disk ${BY_ENVELOPE}
      order by r.envelope, r.item`,
  },
  job_event: {
    types: 'job',
    sql: `select r.*, c.text from sonar.job_event r join sonar.content c on c.id = r.content ${BY_ENVELOPE}
      order by r.envelope, r.ord`,
  },
};

/** Members that have a value: an absent one is a default. */
const given = <T extends object>(members: T): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;

const integerOf = (cell: PgCell | undefined): bigint | null => (typeof cell === 'bigint' ? cell : null);
const uint = (row: PgRow, name: string): Uint | undefined => fromInteger(integerOf(row[name]));
const signed = (row: PgRow, name: string): Uint | undefined => fromSigned(integerOf(row[name]));
const float = (row: PgRow, name: string): number | undefined => (typeof row[name] === 'number' ? row[name] : undefined);
const listOf = (cell: PgCell | undefined): Uint[] =>
  Array.isArray(cell) ? (cell as readonly bigint[]).map((each) => fromInteger(each) ?? 0) : [];

const slurmJobOf = (row: PgRow): object => ({
  ...given({ job_id: uint(row, 'job_id'), job_step: row['step'] === '' ? undefined : row['step'] }),
  ...(storedJson(String(row['text'])) as object),
});

const gpuOf = (row: PgRow) =>
  given({
    index: uint(row, 'idx'),
    uuid: String(row['uuid']),
    failing: uint(row, 'failing'),
    fan: uint(row, 'fan'),
    compute_mode: row['mode'] === null ? undefined : String(row['mode']),
    performance_state: uint(row, 'performance'),
    memory: uint(row, 'memory'),
    ce_util: uint(row, 'ce_util'),
    memory_util: uint(row, 'memory_util'),
    temperature: signed(row, 'temperature'),
    power: uint(row, 'power'),
    power_limit: uint(row, 'power_limit'),
    ce_clock: uint(row, 'ce_clock'),
    memory_clock: uint(row, 'memory_clock'),
  });

const diskOf = (row: PgRow) =>
  given({
    name: String(row['disk_name']),
    major: uint(row, 'major'),
    minor: uint(row, 'minor'),
    stats: listOf(row['stats']),
  });

const processOf = (row: PgRow, gpus: readonly PgRow[]): SampleProcess =>
  given({
    resident_memory: uint(row, 'rss'),
    virtual_memory: uint(row, 'vm'),
    cmd: row['cmd'] === null ? undefined : String(row['cmd_name']),
    pid: uint(row, 'pid'),
    ppid: uint(row, 'ppid'),
    in_container: row['container'] === null ? undefined : true,
    num_threads: uint(row, 'threads'),
    cpu_avg: float(row, 'cpu_avg'),
    cpu_util: float(row, 'cpu_util'),
    cpu_time: uint(row, 'cpu_time'),
    data_read: uint(row, 'data_read'),
    data_written: uint(row, 'data_written'),
    data_cancelled: uint(row, 'data_cancelled'),
    rolledup: signed(row, 'rolledup'),
    gpus:
      gpus.length === 0
        ? undefined
        : gpus.map((gpu) =>
            given({
              index: uint(gpu, 'idx'),
              uuid: String(gpu['uuid']),
              gpu_util: float(gpu, 'util'),
              gpu_memory: uint(gpu, 'memory'),
              gpu_memory_util: float(gpu, 'memory_util'),
            }),
          ),
  });
