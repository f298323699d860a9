import type { AddedJob, ChangedJob } from '../../contract/plan-update.ts';
import type { NewJob } from '../../contract/job.ts';
import {
  type DefinitionName,
  definitionNames,
  fieldOf,
  jobFields,
  type ReferenceName,
  referenceNames,
  type RelationName,
  relationNames,
} from '../../job/fields.ts';
import { raisedName } from '../../lifecycle/retry/cause-verdict.ts';
import type { FieldChange } from './difference.ts';
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

export interface JobChange {
  readonly update: ChangedJob;
  readonly changes: FieldChange[];
  readonly reruns: boolean;
}

type Lists = Partial<Record<RelationName, number[]>>;

/** What the ids of each relation name in a comparison. */
const NAMED = { jobs: 'jobs', files: 'files', user_data: 'userData' } as const;

type ComparedName = Exclude<DefinitionName | ReferenceName, 'name' | 'resource_requirements_id'>;
const compared = ([...definitionNames, ...referenceNames] as const).filter(
  (name): name is ComparedName => name !== 'name' && name !== 'resource_requirements_id',
);
const rerunNames = compared.filter((name) => fieldOf(name).reruns);
const settingNames = compared.filter((name) => !fieldOf(name).reruns);

/**
 * What differs between a job and what the plan wants; undefined if nothing does. `needs` are the dependencies that have to be
 * there. `again` is set for a job that was removed.
 */
export function jobChange(
  stored: StoredJob,
  { wanted, needs: needed }: { readonly wanted: NewJob; readonly needs: readonly number[] },
  comparison: Comparison,
  again: boolean,
): JobChange | undefined {
  const changes: FieldChange[] = [];
  const set: Partial<AddedJob> = {};
  let reruns = again;
  const compare = (names: readonly ComparedName[]) => {
    for (const name of names) {
      const [before, after] = [comparable(name, stored[name]), comparable(name, wanted[name])];
      if (isSame(before, after)) continue;
      changes.push({ field: fieldOf(name).called ?? name, ...texts(before, after) });
      Object.assign(set, { [name]: after });
    }
  };
  compare(rerunNames);
  const add: Lists = {};
  const remove: Lists = {};
  let onlyNames = 0;
  for (const list of relationNames) {
    const { remove: lost, add: gained } = setChange(stored[list], wanted[list]);
    // Those that files imply may be there or not, as long as the workflow was not initialized.
    const change = { remove: lost, add: list === 'depends_on_job_ids' ? setChange(stored[list], needed).add : gained };
    const changed = changedContent(list, wanted, comparison);
    if (change.add.length + change.remove.length + changed.length === 0) continue;
    if (change.add.length > 0) add[list] = [...change.add];
    if (change.remove.length > 0) remove[list] = [...change.remove];
    const { called, names } = jobFields[list];
    const named = (ids: readonly number[]) => ids.map((id) => comparison.nameOf(NAMED[names], id));
    changes.push({ field: called, added: named([...change.add, ...changed]), removed: named(change.remove) });
    if (changed.length === 0 && hasSameFiles(list, stored[list] ?? [], wanted[list] ?? [], comparison)) onlyNames += 1;
  }
  reruns ||= changes.length > onlyNames;

  const needs = wanted.resource_requirements_id ?? comparison.defaultRequirements;
  const had = stored.resource_requirements_id ?? 0;
  if (had !== needs && !isRaised(had, needs, comparison)) {
    const [before, after] = [comparison.nameOf('requirements', had), comparison.nameOf('requirements', needs)];
    changes.push({ field: jobFields.resource_requirements_id.called, before, after });
    set.resource_requirements_id = needs;
  }
  compare(settingNames);
  if (changes.length === 0 && !again) return undefined;
  return { update: { id: stored.id, runs_again: reruns, ...set, add, remove }, changes, reruns };
}

/** Files and values that a job reads or writes under the same name, and that are other ones now. */
function changedContent(list: RelationName, wanted: NewJob, { changedFiles, changedUserData }: Comparison): number[] {
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

/** A value as it is compared, and as an update sets it: none and the default are equal, and the order of labels does not matter. */
function comparable(name: ComparedName, value: StoredJob[ComparedName] | undefined): unknown {
  const { kind, isSet, standard } = fieldOf(name);
  if (kind === 'texts') return [...new Set(value as readonly string[] | null)].sort();
  if (kind === 'variables' || kind === 'amounts') return value ?? {};
  if (kind === 'flag') return value ?? standard ?? false;
  if (kind === 'integer') return value ?? standard ?? null;
  return isSet ? value : value || null;
}

/** Texts for people, of a value that has a short one. */
function texts(before: unknown, after: unknown): Pick<FieldChange, 'before' | 'after'> {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return { ...(before === null ? {} : { before: text(before) }), ...(after === null ? {} : { after: text(after) }) };
}
