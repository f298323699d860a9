import { Dictionary } from './dictionary.ts';
import type { SqliteRow, StoreDatabase } from './database.ts';
import { envelopeOfRows, type LedgerRow, type NameOf, type SampleParts } from '../envelope-of-rows.ts';
import type { EnvelopeSelection, StoredEnvelope } from '../telemetry-store.ts';

/** With its number in the order of arrival. */
export type InArrivalOrder<Item> = Item & { readonly order: number };

/** Reads envelopes of their rows. */
export class RowEnvelopes {
  readonly #db: StoreDatabase;
  readonly #names: Readonly<Record<Parameters<NameOf>[0], Dictionary>>;
  readonly #sources: Dictionary;

  constructor(db: StoreDatabase) {
    this.#db = db;
    const [user, cmd, gpu, disk] = (['user', 'cmd', 'gpu', 'disk'] as const).map((table) => new Dictionary(db, table));
    this.#names = { user, cmd, gpu, disk } as Record<Parameters<NameOf>[0], Dictionary>;
    this.#sources = new Dictionary(db, 'source');
  }

  /** Envelopes in the order of their times. */
  *envelopes({ cluster, node, types, from, until }: EnvelopeSelection): Generator<InArrivalOrder<StoredEnvelope>> {
    const rows = this.#db.each(
      `select e.*, c.name as cluster_name, n.name as node_name, x.members, b.text as body
       from envelope e
       join cluster c on c.id = e.cluster
       left join node n on n.id = e.node
       left join extra x on x.envelope = e.id
       left join content b on b.id = e.content
       where (?1 is null or c.name = ?1)
         and (?2 is null or n.name = ?2 or n.short = ?2)
         and (?3 is null or e.type in (select value from json_each(?3)))
         and (?4 is null or e.time >= ?4)
         and (?5 is null or e.time < ?5)
       order by e.time, e.id`,
      cluster ?? null,
      node ?? null,
      types === undefined ? null : JSON.stringify(types),
      from ?? null,
      until ?? null,
    );
    for (const row of rows) {
      const id = Number(row['id']);
      yield this.#envelopeOf(row as LedgerRow, this.#sources.nameOf(Number(row['source'])), () => this.#partsOf(id));
    }
  }

  archived(cluster: string, sample: SqliteRow, parts: SampleParts): InArrivalOrder<StoredEnvelope> {
    const row = {
      ...sample,
      type: 'sample',
      cluster_name: cluster,
      node_name: sample['node'] ?? null,
      body: sample['errors'] ?? null,
      members: sample['unknown_members'] ?? null,
    };
    return this.#envelopeOf(row as unknown as LedgerRow, String(sample['source']), () => parts);
  }

  #envelopeOf(row: LedgerRow, meta: string, sample: () => SampleParts): InArrivalOrder<StoredEnvelope> {
    const id = Number(row['id']);
    const envelope = envelopeOfRows(row, {
      meta,
      sample,
      topology: () => this.#topologyOf(id),
      slurmJobs: () => this.#slurmJobsOf(id),
      nameOf: (dictionary, { [dictionary]: cell }) =>
        typeof cell === 'string' ? cell : this.#names[dictionary].nameOf(Number(cell)),
    });
    return { order: id, ...envelope };
  }

  #topologyOf(id: number): SqliteRow | undefined {
    return this.#db.get(
      `select s.text as svg, t.text as words from topology y
       left join content s on s.id = y.svg left join content t on t.id = y.text where y.envelope = ?`,
      id,
    );
  }

  #slurmJobsOf(id: number): readonly SqliteRow[] {
    return this.#db.all(
      'select job_id, step, text from job_event join content on content.id = content where envelope = ? order by ord',
      id,
    );
  }

  #partsOf(id: number): SampleParts {
    const rows = (table: string, order: string) =>
      this.#db.all(`select * from ${table} where envelope = ? order by ${order}`, id);
    return {
      system: this.#db.get('select * from node_sample where envelope = ?', id),
      cards: rows('gpu_sample', 'item'),
      disks: rows('disk_sample', 'item'),
      jobs: rows('sample_job', 'slot'),
      processes: rows('process', 'slot, ord'),
      processGpus: rows('process_gpu', 'slot, ord, item'),
    };
  }
}
