import type { MessageType } from '../../../core/contract/sonar/envelope.ts';
import { envelopeOfRows, type LedgerRow, type SampleParts } from '../envelope-of-rows.ts';
import type { EnvelopeSelection, StoredEnvelope } from '../telemetry-store.ts';
import type { PgConnection } from './connection.ts';
import type { PgCell, PgRow } from './library.ts';

/** Envelopes that are read at once, with all their rows. */
const PAGE = 500;

/** Envelopes in the order of their times, made of their rows: equal to those that were stored. */
export async function* readEnvelopes(
  db: PgConnection,
  { cluster, node, types, from, until }: EnvelopeSelection,
): AsyncGenerator<StoredEnvelope> {
  let last: readonly [time: string, id: string] | undefined;
  for (;;) {
    const heads = await db.query(
      `select e.time, e.id, e.type, e.zone, c.name as cluster_name, n.name as node_name, s.name as source, b.text as body, v.text as svg,
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
    const id = row['id'] ?? null;
    return envelopeOfRows(row as LedgerRow, {
      meta: String(row['source']),
      sample: () => this.#sampleOf(id),
      topology: () => row,
      slurmJobs: () => this.#rows('job_event', id),
      nameOf: (dictionary, { [`${dictionary}_name`]: name }) => String(name),
    });
  }

  #sampleOf(id: PgCell): SampleParts {
    const processes = this.#rows('process', id);
    return {
      system: this.#rows('node_sample', id)[0],
      cards: this.#rows('gpu_sample', id),
      disks: this.#rows('disk_sample', id),
      jobs: [...new Map(processes.map((row) => [row['slot'], row])).values()],
      processes: processes.filter(({ ord }) => ord !== null),
      processGpus: this.#rows('process_gpu', id),
    };
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
    sql: `select r.*, g.name as gpu_name from sonar.process_gpu r join sonar.gpu g on g.id = r.gpu ${BY_ENVELOPE}
      order by r.envelope, r.slot, r.ord, r.item`,
  },
  node_sample: { types: 'sample', sql: `select r.* from sonar.node_sample r ${BY_ENVELOPE}` },
  gpu_sample: {
    types: 'sample',
    sql: `select r.*, g.name as gpu_name from sonar.gpu_sample r join sonar.gpu g on g.id = r.gpu ${BY_ENVELOPE}
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
