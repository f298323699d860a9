import type { DataEnvelope, Envelope, MessageType } from '../../core/contract/sonar/envelope.ts';
import type {
  SampleDisk,
  SampleGpu,
  SampleJob,
  SampleProcess,
  SampleProcessGpu,
} from '../../core/contract/sonar/sample.ts';
import type { Metadata } from '../../core/contract/sonar/shared.ts';
import { formatTimestamp } from '../../core/contract/sonar/timestamp.ts';
import type { Row, StoreDatabase } from './database.ts';
import { Dictionary } from './dictionary.ts';
import { type Cell, fromInteger, fromSigned, fromThousandths, unpackUints } from '../store/numbers.ts';
import type { Selection, StoredEnvelope } from '../store/telemetry-store.ts';
import { storedJson } from '../questions/stored-json.ts';
import { putUnknownMembers, type UnknownMember } from '../store/unknown-members.ts';

/** With its number in the order of arrival. */
export type Ordered<Item> = Item & { readonly order: number };

/** Members that have a value: an absent one is a default. */
const given = <T extends object>(members: T): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;

const placeOf = (slot: Cell | undefined, ord: Cell | undefined): string => `${Number(slot)} ${Number(ord)}`;

/** The rows of a sample. Those of an archive have names where hot rows have numbers of dictionaries. */
export interface SampleParts {
  readonly system: Row | undefined;
  readonly cards: readonly Row[];
  readonly disks: readonly Row[];
  readonly jobs: readonly Row[];
  readonly processes: readonly Row[];
  readonly processGpus: readonly Row[];
}

const nameOf = (dictionary: Dictionary, cell: Cell | undefined): string =>
  typeof cell === 'string' ? cell : dictionary.nameOf(Number(cell));

/** Makes envelopes of rows again: equal to those that were stored, but for defaults that were written out. */
export class Reader {
  readonly #db: StoreDatabase;
  readonly #users: Dictionary;
  readonly #commands: Dictionary;
  readonly #gpus: Dictionary;
  readonly #disks: Dictionary;
  readonly #sources: Dictionary;

  constructor(db: StoreDatabase) {
    this.#db = db;
    this.#users = new Dictionary(db, 'user');
    this.#commands = new Dictionary(db, 'cmd');
    this.#gpus = new Dictionary(db, 'gpu');
    this.#disks = new Dictionary(db, 'disk');
    this.#sources = new Dictionary(db, 'source');
  }

  /** Envelopes in the order of their times. */
  *envelopes({ cluster, node, types, from, until }: Selection): Generator<Ordered<StoredEnvelope>> {
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
    for (const row of rows) yield this.#envelopeOf(row, (id) => this.#partsOf(id));
  }

  /** The envelope of an archived sample. */
  archived(cluster: string, sample: Row, parts: SampleParts): Ordered<StoredEnvelope> {
    const row = {
      ...sample,
      type: 'sample',
      cluster_name: cluster,
      node_name: sample['node'] ?? null,
      body: sample['errors'] ?? null,
      members: sample['unknown_members'] ?? null,
    };
    return this.#envelopeOf(row, () => parts);
  }

  #envelopeOf(row: Row, partsOf: (id: number) => SampleParts): Ordered<StoredEnvelope> {
    const type = String(row['type']) as StoredEnvelope['type'];
    const seconds = Number(row['time']);
    const cluster = String(row['cluster_name']);
    const node = row['node_name'] === null ? undefined : String(row['node_name']);
    const meta = storedJson(nameOf(this.#sources, row['source'])) as Metadata;
    const id = Number(row['id']);
    const body = row['body'] === null ? undefined : storedJson(String(row['body']));
    const head = given({ time: formatTimestamp(seconds, Number(row['zone'])), cluster, node });
    const envelope = (
      type === 'error'
        ? { meta, errors: body }
        : { meta, data: { type, attributes: { ...head, ...this.#bodyOf(type, id, body, partsOf) } } }
    ) as DataEnvelope | Extract<Envelope, { errors: readonly unknown[] }>;
    if (row['members'] !== null)
      putUnknownMembers(envelope, storedJson(String(row['members'])) as readonly UnknownMember[]);
    return { order: id, cluster, node, type, time: seconds, envelope: envelope as Envelope };
  }

  #bodyOf(type: MessageType, id: number, body: unknown, partsOf: (id: number) => SampleParts): object {
    switch (type) {
      case 'sample': {
        const parts = partsOf(id);
        return given({ system: this.#systemOf(parts), jobs: this.#jobsOf(parts), errors: body });
      }
      case 'sysinfo':
        return { ...(body as object), ...this.#topologyOf(id) };
      case 'cluster':
        return body as object;
      case 'job':
        return { slurm_jobs: this.#slurmJobsOf(id) };
    }
  }

  #topologyOf(id: number): object {
    const row = this.#db.get(
      `select s.text as svg, t.text as words from topology y
       left join content s on s.id = y.svg left join content t on t.id = y.text where y.envelope = ?`,
      id,
    );
    if (row === undefined) return {};
    return given({ topo_svg: row['svg'] ?? undefined, topo_text: row['words'] ?? undefined });
  }

  #slurmJobsOf(id: number): object[] {
    const rows = this.#db.all(
      'select job_id, step, text from job_event join content on content.id = content where envelope = ? order by ord',
      id,
    );
    return rows.map((row) => ({
      ...given({ job_id: fromInteger(row['job_id'] ?? null), job_step: row['step'] === '' ? undefined : row['step'] }),
      ...(storedJson(String(row['text'])) as object),
    }));
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

  #systemOf({ system: row, cards, disks }: SampleParts): object | undefined {
    if (row === undefined) return undefined;
    const cell = (name: string) => row[name] ?? null;
    const list = <T>(items: readonly T[]) => (items.length === 0 ? undefined : items);
    return given({
      boot: row['boot'] === null ? undefined : formatTimestamp(Number(row['boot']), Number(row['boot_zone'])),
      cpus: list(unpackUints(cell('cpus'))),
      gpus: list(cards.map((each) => this.#gpuOf(each))),
      disks: list(disks.map((each) => this.#diskOf(each))),
      used_memory: fromInteger(cell('used_memory')),
      load1: fromThousandths(cell('load1')),
      load5: fromThousandths(cell('load5')),
      load15: fromThousandths(cell('load15')),
      runnable_entities: fromInteger(cell('runnable')),
      existing_entities: fromInteger(cell('existing')),
    });
  }

  #gpuOf(row: Row): SampleGpu {
    const uint = (name: string) => fromInteger(row[name] ?? null);
    return given({
      index: uint('idx'),
      uuid: nameOf(this.#gpus, row['gpu']),
      failing: uint('failing'),
      fan: uint('fan'),
      compute_mode: row['mode'] === null ? undefined : String(row['mode']),
      performance_state: uint('performance'),
      memory: uint('memory'),
      ce_util: uint('ce_util'),
      memory_util: uint('memory_util'),
      temperature: fromSigned(row['temperature'] ?? null),
      power: uint('power'),
      power_limit: uint('power_limit'),
      ce_clock: uint('ce_clock'),
      memory_clock: uint('memory_clock'),
    });
  }

  #diskOf(row: Row): SampleDisk {
    return given({
      name: nameOf(this.#disks, row['disk']),
      major: fromInteger(row['major'] ?? null),
      minor: fromInteger(row['minor'] ?? null),
      stats: unpackUints(row['stats'] ?? null),
    });
  }

  #jobsOf(parts: SampleParts): SampleJob[] {
    const processes = Map.groupBy(parts.processes, ({ slot }) => Number(slot));
    const gpus = Map.groupBy(parts.processGpus, ({ slot, ord }) => placeOf(slot, ord));
    return parts.jobs.map((row) => {
      const epoch = fromInteger(row['epoch'] ?? null);
      return given({
        job: fromInteger(row['job'] ?? null),
        user: nameOf(this.#users, row['user']),
        epoch: epoch === 0 ? undefined : epoch,
        processes: (processes.get(Number(row['slot'])) ?? []).map((each) =>
          this.#processOf(each, gpus.get(placeOf(each['slot'], each['ord'])) ?? []),
        ),
      });
    });
  }

  #processOf(row: Row, gpus: readonly Row[]): SampleProcess {
    const uint = (name: string) => fromInteger(row[name] ?? null);
    return given({
      resident_memory: uint('rss'),
      virtual_memory: uint('vm'),
      cmd: row['cmd'] === null ? undefined : nameOf(this.#commands, row['cmd']),
      pid: uint('pid'),
      ppid: uint('ppid'),
      in_container: row['container'] === null ? undefined : true,
      num_threads: uint('threads'),
      cpu_avg: fromThousandths(row['cpu_avg'] ?? null),
      cpu_util: fromThousandths(row['cpu_util'] ?? null),
      cpu_time: uint('cpu_time'),
      data_read: uint('data_read'),
      data_written: uint('data_written'),
      data_cancelled: uint('data_cancelled'),
      rolledup: fromSigned(row['rolledup'] ?? null),
      gpus: gpus.length === 0 ? undefined : gpus.map((gpu) => this.#processGpuOf(gpu)),
    });
  }

  #processGpuOf(row: Row): SampleProcessGpu {
    return given({
      index: fromInteger(row['idx'] ?? null),
      uuid: nameOf(this.#gpus, row['gpu']),
      gpu_util: fromThousandths(row['util'] ?? null),
      gpu_memory: fromInteger(row['memory'] ?? null),
      gpu_memory_util: fromThousandths(row['memory_util'] ?? null),
    });
  }
}
