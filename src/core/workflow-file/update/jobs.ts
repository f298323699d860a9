import type { AddedJob, ChangedJob } from '../../contract/plan-update.ts';
import type { NewJob } from '../../contract/job.ts';
import type { RelationName } from '../../job/fields.ts';
import { raisedName } from '../../lifecycle/cause-verdict.ts';
import type { FieldChange, JobField } from './difference.ts';
import { isSame, setChange } from './same.ts';
import type { StoredJob, StoredPlan } from './stored.ts';

/** What jobs are compared with. */
export interface Comparison {
  readonly requirements: ReadonlyMap<number, StoredPlan['requirements'][number]>;
  /** The requirements of jobs that name none. */
  readonly defaultRequirements: number;
  /** Files with another path, and user data with another value that no job makes. */
  readonly changedFiles: ReadonlySet<number>;
  readonly changedUserData: ReadonlySet<number>;
  /** By which the path of a file is compared, of an id or of an added file. */
  readonly keyOfFile: (id: number) => string;
  /** A name for people, of an id or of an added record. */
  readonly nameOf: (kind: 'jobs' | 'files' | 'userData' | 'requirements', id: number) => string;
}

/** A job as the plan wants it: every field, with the defaults. */
export type WantedJob = NewJob;

export interface JobChange {
  readonly update: ChangedJob;
  readonly changes: FieldChange[];
  readonly reruns: boolean;
}

type Lists = Partial<Record<RelationName, number[]>>;

const LISTS: readonly (readonly [RelationName, JobField, 'jobs' | 'files' | 'userData'])[] = [
  ['input_file_ids', 'inputs', 'files'],
  ['output_file_ids', 'outputs', 'files'],
  ['input_user_data_ids', 'user data', 'userData'],
  ['output_user_data_ids', 'user data', 'userData'],
  ['depends_on_job_ids', 'waits for', 'jobs'],
];

/**
 * What differs between a job and what the plan wants; undefined if nothing does. `needs` are the dependencies that have to be
 * there. `again` is set for a job that was removed.
 */
export function jobChange(
  stored: StoredJob,
  { wanted, needs: needed }: { readonly wanted: WantedJob; readonly needs: readonly number[] },
  comparison: Comparison,
  again: boolean,
): JobChange | undefined {
  const changes: FieldChange[] = [];
  const set: Partial<AddedJob> = {};
  let reruns = again;
  const differ = (field: JobField, before: unknown, after: unknown, to: Partial<AddedJob>) => {
    if (isSame(before, after)) return;
    changes.push({ field, ...texts(before, after) });
    Object.assign(set, to);
  };
  differ('command', stored.command, wanted.command, { command: wanted.command });
  const script = wanted.invocation_script || null;
  differ('invocation_script', stored.invocation_script || null, script, { invocation_script: script });
  differ('env', stored.env ?? {}, wanted.env ?? {}, { env: wanted.env ?? {} });
  const add: Lists = {};
  const remove: Lists = {};
  let onlyNames = 0;
  for (const [list, field, kind] of LISTS) {
    const { remove: lost, add: gained } = setChange(stored[list], wanted[list]);
    // Those that files imply may be there or not, as long as the workflow was not initialized.
    const change = { remove: lost, add: list === 'depends_on_job_ids' ? setChange(stored[list], needed).add : gained };
    const changed = changedContent(list, wanted, comparison);
    if (change.add.length + change.remove.length + changed.length === 0) continue;
    if (change.add.length > 0) add[list] = [...change.add];
    if (change.remove.length > 0) remove[list] = [...change.remove];
    const named = (ids: readonly number[]) => ids.map((id) => comparison.nameOf(kind, id));
    changes.push({ field, added: named([...change.add, ...changed]), removed: named(change.remove) });
    if (changed.length === 0 && hasSameFiles(list, stored[list] ?? [], wanted[list] ?? [], comparison)) onlyNames += 1;
  }
  reruns ||= changes.length > onlyNames;

  const needs = wanted.resource_requirements_id ?? comparison.defaultRequirements;
  const had = stored.resource_requirements_id ?? 0;
  if (had !== needs && !isRaised(had, needs, comparison)) {
    const [before, after] = [comparison.nameOf('requirements', had), comparison.nameOf('requirements', needs)];
    changes.push({ field: 'requirements', before, after });
    set.resource_requirements_id = needs;
  }
  differ('priority', stored.priority ?? 0, wanted.priority ?? 0, { priority: wanted.priority ?? 0 });
  const labels = [...new Set(wanted.labels ?? [])].sort();
  differ('labels', [...(stored.labels ?? [])].sort(), labels, { labels });
  differ('scheduler', stored.scheduler_id || 0, wanted.scheduler_id || 0, {
    scheduler_id: wanted.scheduler_id ?? null,
  });
  const handler = wanted.failure_handler_id ?? null;
  differ('failure handler', stored.failure_handler_id || null, handler, { failure_handler_id: handler });
  const cancels = wanted.cancel_on_blocking_job_failure ?? true;
  differ('cancel_on_blocking_job_failure', stored.cancel_on_blocking_job_failure ?? true, cancels, {
    cancel_on_blocking_job_failure: cancels,
  });
  const terminable = wanted.supports_termination ?? false;
  differ('supports_termination', stored.supports_termination ?? false, terminable, {
    supports_termination: terminable,
  });
  if (changes.length === 0 && !again) return undefined;
  return { update: { id: stored.id, runs_again: reruns, ...set, add, remove }, changes, reruns };
}

/** Files and values that a job reads or writes under the same name, and that are other ones now. */
function changedContent(
  list: RelationName,
  wanted: WantedJob,
  { changedFiles, changedUserData }: Comparison,
): number[] {
  if (list === 'depends_on_job_ids' || list === 'output_user_data_ids') return [];
  const changed = list === 'input_user_data_ids' ? changedUserData : changedFiles;
  return changed.size === 0 ? [] : (wanted[list] ?? []).filter((id) => changed.has(id));
}

/** Whether a job reads or writes the same files as before, under other names. */
function hasSameFiles(
  list: RelationName,
  before: readonly number[],
  after: readonly number[],
  { keyOfFile }: Comparison,
): boolean {
  if (list !== 'input_file_ids' && list !== 'output_file_ids') return false;
  const [had, has] = [new Set(before.map(keyOfFile)), new Set(after.map(keyOfFile))];
  return had.size === has.size && [...had].every((key) => has.has(key));
}

/** A failure handler or a recovery raised what the plan asks for: that stays. */
function isRaised(had: number, wanted: number, { requirements }: Comparison): boolean {
  const [before, after] = [requirements.get(had), requirements.get(wanted)];
  if (before === undefined || after === undefined) return false;
  return before.name === raisedName(after.name, before.memory ?? '', before.runtime ?? '');
}

/** Texts for people, of a value that has a short one. */
function texts(before: unknown, after: unknown): Pick<FieldChange, 'before' | 'after'> {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return { before: text(before), after: text(after) };
}
