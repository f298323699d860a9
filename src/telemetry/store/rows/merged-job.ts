import { exactJson } from '../../../core/contract/sonar/encode.ts';
import { queueStateOf } from '../../../core/allocation/slurm-state.ts';
import { limitInSeconds, stateWord } from '../../../core/contract/sonar/conventions.ts';
import type { SonarSlurmJob } from '../../../core/contract/sonar/jobs.ts';
import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import type { Metadata } from '../../../core/contract/sonar/shared.ts';
import { parseTimestamp } from '../../../core/contract/sonar/timestamp.ts';

/**
 * Merges records of one Slurm job or step, which are partial, repeated, and may arrive in any order, into one row.
 *
 * Each field is merged by itself: the record with the latest time that has it wins. A field that is absent or has its default
 * changes nothing. At the same time a finished record wins over a running one and that over a pending one. A later
 * pending record means that the job was requeued: it clears what its first attempt left. Any order and any repetition
 * of records gives the same row.
 */
export type Merged = Readonly<Record<string, Entry>>;

/** Unix time of the record, rank of its state, and its value; null is a cleared field. */
type Entry = readonly [time: number, rank: number, value: unknown];

/** What the attempt before a requeue left. */
const CLEARED = ['start_time', 'end_time', 'nodes', 'exit_code', 'suspend_time', 'allocated_resources'] as const;
const ACCOUNTING = 'sacct.';
/** The instant from which accounting data of a job are valid, kept beside them. */
const ACCOUNTING_CLEARED = 'sacct cleared';

export function rankOfState(state: string): 1 | 2 | 3 {
  const is = queueStateOf(state);
  return is === 'queued' ? 1 : is === 'running' ? 2 : 3;
}

export function mergeRecord(row: Merged, record: SonarSlurmJob, time: number, meta: Metadata): Merged {
  const rank = rankOfState(record.job_state);
  const merged: Record<string, Entry> = { ...row };
  const offer = (name: string, value: unknown) => {
    const entry: Entry = [time, rank, value];
    const held = merged[name];
    if (held === undefined || wins(entry, held)) merged[name] = entry;
  };
  for (const [name, value] of fieldsOf(record, meta)) offer(name, value);
  if (stateWord(record.job_state) === 'PENDING') {
    const written = new Set(fieldsOf(record, meta).map(([name]) => name));
    for (const name of CLEARED) if (!written.has(name)) offer(name, null);
    offer(ACCOUNTING_CLEARED, true);
  }
  return merged;
}

/** The values of a merged row by their names, without cleared ones. */
export function mergedValues(row: Merged): Readonly<Record<string, unknown>> {
  const cleared = row[ACCOUNTING_CLEARED];
  const values: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(row)) {
    if (name === ACCOUNTING_CLEARED || entry[2] === null) continue;
    if (name.startsWith(ACCOUNTING) && cleared !== undefined && !isLater(entry, cleared)) continue;
    values[name] = entry[2];
  }
  return values;
}

const isLater = ([time, rank]: Entry, [otherTime, otherRank]: Entry): boolean =>
  time > otherTime || (time === otherTime && rank > otherRank);

function wins(entry: Entry, held: Entry): boolean {
  if (entry[0] !== held[0]) return entry[0] > held[0];
  if (entry[1] !== held[1]) return entry[1] > held[1];
  // Two records of one instant that differ: any rule will do that does not depend on their order.
  return exactJson(entry[2]) > exactJson(held[2]);
}

/** The fields that a record gives a value to. */
function fieldsOf(record: SonarSlurmJob, meta: Metadata): [string, unknown][] {
  const fields: [string, unknown][] = [];
  for (const [name, value] of Object.entries(record)) {
    if (name === 'job_id' || name === 'job_step' || isDefault(value)) continue;
    if (name === 'sacct')
      for (const [part, each] of Object.entries(value as object))
        if (!isDefault(each)) fields.push([`${ACCOUNTING}${part}`, each]);
        else continue;
    else if (name === 'job_state') fields.push([name, stateWord(record.job_state)]);
    else if (name === 'time_limit') fields.push([name, limitInSeconds(meta, value as Uint)]);
    else if (name === 'nodes') {
      const nodes = (value as readonly string[]).filter((each) => each !== '' && !/^None /i.test(each));
      if (nodes.length > 0) fields.push([name, nodes]);
    } else fields.push([name, value]);
  }
  return fields;
}

const isDefault = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (Array.isArray(value) && value.length === 0);

/** The same text for the same row, in whatever order its fields came. */
const mergedText = (merged: Merged): string =>
  exactJson(Object.fromEntries(Object.entries(merged).toSorted(([one], [other]) => (one < other ? -1 : 1))));

/** The columns of a merged row, beside its key and the time when it was seen. */
export function columnsOfMerged(merged: Merged) {
  const values = mergedValues(merged);
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : null);
  const seconds = (name: string) => parseTimestamp(text(name) ?? '')?.seconds ?? null;
  return {
    state: text('job_state'),
    user: text('user_name'),
    account: text('account'),
    partition: text('partition'),
    submit: seconds('submit_time'),
    start: seconds('start_time'),
    end: seconds('end_time'),
    fields: mergedText(merged),
  };
}
