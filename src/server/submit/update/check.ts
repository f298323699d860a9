import { type ChangedJob, type PlanUpdate, updatedRecordKinds } from '../../../core/contract/plan-update.ts';
import { jobFields, type ReferenceName, referenceNames, relationNames } from '../../../core/job/fields.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import { refuseBadLabels } from '../../../core/lifecycle/placement/labels.ts';
import { refuseBadConfig } from '../../records/action/config.ts';
import { refuseBadJob } from '../../records/job/fields.ts';
import { storedRequirements } from '../../records/requirements/fields.ts';
import { refuseBadLimits, refuseIterations, refuseMisplaced } from '../../records/workflow/create.ts';
import { refuseBadEnvironment } from '../../records/job/environment.ts';
import type { Windows } from '../../store/rows.ts';
import type { WorkSteps } from '../../store/work.ts';
import type { UpdateQueries } from './queries.ts';

type Kind = keyof UpdateQueries['has'];

/** Jobs checked between two steps: about 1 ms. */
const A_FEW = 64;
const NAMES = 512;

/**
 * Refuses an update that could not be applied as a whole, before anything is written: records that the workflow does not
 * have, names that it has already, and values that no other route accepts either.
 */
export function* refuseBadUpdate(
  queries: UpdateQueries,
  windows: Windows,
  workflowId: number,
  update: PlanUpdate,
): WorkSteps {
  const known = createKnown(queries, workflowId, update);
  if (update.settings) {
    refuseBadEnvironment(update.settings.env, 'workflow');
    refuseIterations(update.settings);
    refuseMisplaced(update.settings);
    refuseBadLimits(update.settings);
  }
  for (const kind of updatedRecordKinds) {
    yield* knownAll(
      known,
      kind,
      `${kind}.change`,
      update[kind]?.change?.map(({ id }) => id),
    );
    yield* knownAll(known, kind, `${kind}.remove`, update[kind]?.remove);
  }
  const { add: addedNeeds, change: changedNeeds } = update.resource_requirements ?? {};
  for (const needs of [...(addedNeeds ?? []), ...(changedNeeds ?? []).map(({ record }) => record)])
    storedRequirements({ ...needs, workflow_id: workflowId });
  for (const { name } of update.slurm_schedulers?.add ?? [])
    if (!name) throw new Refusal('BODY_REFUSED', 'a Slurm scheduler needs a name', { field: 'name' });
  for (const action of update.workflow_actions?.add ?? []) refuseBadConfig(action);

  const { add, change, remove } = update.jobs ?? {};
  let checked = 0;
  for (const job of add ?? []) {
    yield* refuseBadReferences(known, job.name, job, job);
    refuseBadJob(job);
    refuseBadLabels(job.labels, ` for job '${job.name}'`);
    checked += 1;
    if (checked % A_FEW === 0) yield;
  }
  for (const job of change ?? []) {
    known('jobs', job.id, 'jobs.change');
    const name = job.name ?? `${job.id}`;
    yield* refuseBadReferences(known, name, job, job.add ?? {});
    refuseBadJob({ ...job, name, command: job.command ?? '' });
    refuseBadLabels(job.labels, ` for job '${name}'`);
    checked += 1;
    if (checked % A_FEW === 0) yield;
  }
  yield* knownAll(known, 'jobs', 'jobs.remove', remove);
  yield* knownAll(known, 'jobs', 'choice', update.choice?.job_ids);
  for (const { job_ids: ids } of update.workflow_actions?.add ?? [])
    yield* knownAll(known, 'jobs', 'workflow_actions.add', ids);
  yield* refuseKnownNames(queries, windows, workflowId, add ?? []);
}

type Known = (kind: Kind, id: number, field: string) => void;

/** Each id is looked up once. */
function createKnown(queries: UpdateQueries, workflowId: number, update: PlanUpdate): Known {
  const seen = new Map<Kind, Set<number>>();
  return (kind, id, field) => {
    const of = seen.get(kind) ?? new Set<number>();
    seen.set(kind, of);
    if (of.has(id)) return;
    const isThere =
      id < 0 ? -id <= (update[kind]?.add?.length ?? 0) : queries.has[kind].get({ id, workflowId }) !== undefined;
    if (!isThere) {
      const why =
        id < 0
          ? `and the request adds ${update[kind]?.add?.length ?? 0}`
          : `which workflow ${workflowId} does not have`;
      throw new Refusal('REFERENCE_UNKNOWN', `${field} names ${id} of ${kind}, ${why}`, { field, found: id });
    }
    of.add(id);
  };
}

function* knownAll(known: Known, kind: Kind, field: string, ids: readonly number[] | null | undefined): WorkSteps {
  let looked = 0;
  for (const id of ids ?? []) {
    known(kind, id, field);
    looked += 1;
    if (looked % NAMES === 0) yield;
  }
  yield;
}

function* refuseBadReferences(
  known: Known,
  name: string,
  references: Pick<ChangedJob, ReferenceName>,
  lists: NonNullable<ChangedJob['add']>,
): WorkSteps {
  const of = `job '${name}'`;
  for (const reference of referenceNames) {
    const id = references[reference];
    if (id) known(jobFields[reference].names, id, of);
  }
  let looked = 0;
  for (const list of relationNames)
    for (const id of lists[list] ?? []) {
      known(jobFields[list].names, id, `${list} of ${of}`);
      looked += 1;
      if (looked % NAMES === 0) yield;
    }
}

/** A name that the workflow has already: another update came before this one. */
function* refuseKnownNames(
  queries: UpdateQueries,
  windows: Windows,
  workflowId: number,
  added: readonly { readonly name: string }[],
): WorkSteps {
  if (added.length === 0) return;
  const names = new Set<string>();
  const refuse = (name: string, where: string) => {
    throw new Refusal('DUPLICATE', `workflow ${workflowId} has a job '${name}' ${where}`, { name });
  };
  for (const { name } of added) {
    if (names.has(name)) refuse(name, 'twice in this update');
    names.add(name);
  }
  yield* windows.within(workflowId, NAMES, function* (window) {
    for (const { name } of queries.names.all(window)) if (names.has(name)) refuse(name, 'already');
    yield;
  });
}
