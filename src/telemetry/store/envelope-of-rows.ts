import type { Envelope, MessageType } from '../../core/contract/sonar/envelope.ts';
import type {
  SampleDisk,
  SampleGpu,
  SampleJob,
  SampleProcess,
  SampleProcessGpu,
  SampleSystem,
} from '../../core/contract/sonar/sample.ts';
import { formatTimestamp } from '../../core/contract/sonar/timestamp.ts';
import { storedJson } from './rows/cells.ts';
import { type Cell, fromInteger, fromSigned, fromThousandths, unpackUints } from './rows/numbers.ts';
import { type SampleColumn, type SampleNames, sampleTables } from './tables.ts';
import type { StoredEnvelope } from './telemetry-store.ts';
import { putUnknownMembers, type UnknownMember } from './unknown-members.ts';

/** A row of a store: integers of 64 bits are bigints, and lists are packed or are lists of them. */
type StoredRow = Readonly<Record<string, StoredCell>>;
type StoredCell = Cell | boolean | readonly bigint[] | undefined;

export interface SampleParts {
  readonly system: StoredRow | undefined;
  readonly cards: readonly StoredRow[];
  readonly disks: readonly StoredRow[];
  /** A row of each entry, with its job, epoch and user. */
  readonly jobs: readonly StoredRow[];
  readonly processes: readonly StoredRow[];
  readonly processGpus: readonly StoredRow[];
}

/** What the ledger has of an envelope, with names and texts in place of numbers. */
export type LedgerRow = StoredRow &
  Readonly<Record<'type' | 'time' | 'zone' | 'cluster_name' | 'node_name' | 'body' | 'members', StoredCell>>;

/** What belongs to an envelope; each is asked for where its type has it. */
export interface EnvelopeParts {
  readonly meta: string;
  readonly sample: () => SampleParts;
  readonly topology: () => StoredRow | undefined;
  readonly slurmJobs: () => readonly StoredRow[];
  readonly nameOf: NameOf;
}

/** The name that a column of a row stands for: rows of archives have it where hot rows have the number of a dictionary. */
export type NameOf = (dictionary: SampleNames | 'user', row: StoredRow) => string;

/** Makes an envelope of its rows: equal to the one that was stored, but for defaults that were written out. */
export function envelopeOfRows(row: LedgerRow, parts: EnvelopeParts): StoredEnvelope {
  const type = String(row.type) as StoredEnvelope['type'];
  const time = Number(row.time);
  const cluster = String(row.cluster_name);
  const node = row.node_name === null ? undefined : String(row.node_name);
  const meta = storedJson(parts.meta);
  const body = row.body === null ? undefined : storedJson(String(row.body));
  const head = given({ time: formatTimestamp(time, Number(row.zone)), cluster, node });
  const envelope =
    type === 'error'
      ? { meta, errors: body }
      : { meta, data: { type, attributes: { ...head, ...bodyOf(type, body, parts) } } };
  if (row.members !== null) putUnknownMembers(envelope, storedJson(String(row.members)) as readonly UnknownMember[]);
  return { cluster, node, type, time, envelope: envelope as Envelope };
}

/** Members that have a value: an absent one is a default. */
const given = <T extends object>(members: T): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;

function bodyOf(type: MessageType, body: unknown, { sample, topology, slurmJobs, nameOf }: EnvelopeParts): object {
  switch (type) {
    case 'sample': {
      const rows = sample();
      return given({ system: systemOf(rows, nameOf), jobs: jobsOf(rows, nameOf), errors: body });
    }
    case 'sysinfo': {
      const { svg, words } = topology() ?? {};
      return { ...(body as object), ...given({ topo_svg: svg ?? undefined, topo_text: words ?? undefined }) };
    }
    case 'cluster':
      return body as object;
    case 'job':
      return { slurm_jobs: slurmJobs().map(slurmJobOf) };
  }
}

const slurmJobOf = ({ job_id: job, step, text }: StoredRow): object => ({
  ...given({ job_id: uintOf(job), job_step: step === '' ? undefined : step }),
  ...(storedJson(String(text)) as object),
});

function systemOf({ system, cards, disks }: SampleParts, nameOf: NameOf): SampleSystem | undefined {
  if (system === undefined) return undefined;
  const gpus = cards.map((each) => fieldsOf(sampleTables.gpu_sample.columns, each, nameOf) as SampleGpu);
  const own = disks.map((each) => {
    const disk = fieldsOf(sampleTables.disk_sample.columns, each, nameOf) as SampleDisk;
    return disk.stats === undefined ? { ...disk, stats: [] } : disk;
  });
  return given({
    ...fieldsOf(sampleTables.node_sample.columns, system, nameOf),
    gpus: gpus.length === 0 ? undefined : gpus,
    disks: own.length === 0 ? undefined : own,
  });
}

const placeOf = ({ slot, ord }: StoredRow): string => `${Number(slot)} ${Number(ord)}`;

function jobsOf(parts: SampleParts, nameOf: NameOf): SampleJob[] {
  const processes = Map.groupBy(parts.processes, ({ slot }) => Number(slot));
  const gpus = Map.groupBy(parts.processGpus, placeOf);
  return parts.jobs.map((row) => {
    const [job, epoch] = [uintOf(row['job']), uintOf(row['epoch'])];
    return given({
      job,
      user: nameOf('user', row),
      epoch: epoch === 0 ? undefined : epoch,
      processes: (processes.get(Number(row['slot'])) ?? []).map((each): SampleProcess => {
        const process = fieldsOf(sampleTables.process.columns, each, nameOf);
        const own = gpus.get(placeOf(each));
        if (own !== undefined)
          process['gpus'] = own.map(
            (gpu) => fieldsOf(sampleTables.process_gpu.columns, gpu, nameOf) as SampleProcessGpu,
          );
        return process;
      }),
    });
  });
}

const uintOf = (cell: StoredCell) => fromInteger((cell ?? null) as Cell);

/** The fields that have a value: an absent one is a default. */
function fieldsOf(columns: readonly SampleColumn[], row: StoredRow, nameOf: NameOf): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const { column, field, kind } of columns) {
    const cell = row[column] ?? null;
    if (kind === 'name') {
      // A process may have no command; a card and a disk always have a name.
      if (cell !== null) fields[field] = nameOf(column as SampleNames, row);
    } else if (cell !== null && kind !== 'zone') {
      const value =
        kind === 'seconds' ? formatTimestamp(Number(cell), Number(row[`${column}_zone`])) : read[kind](cell);
      if (value !== undefined) fields[field] = value;
    }
  }
  return fields;
}

const read: Readonly<
  Record<Exclude<SampleColumn['kind'], 'name' | 'seconds' | 'zone'>, (cell: NonNullable<StoredCell>) => unknown>
> = {
  uint: uintOf,
  int: (cell) => fromSigned(cell as Cell),
  float: (cell) => fromThousandths(cell as Cell),
  flag: () => true,
  text: String,
  uints: (cell) => (Array.isArray(cell) ? cell.map((each) => uintOf(each as bigint) ?? 0) : unpackUints(cell as Cell)),
};
