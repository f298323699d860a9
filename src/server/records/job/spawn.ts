import type { SpawnJob, SpawnRequest, SpawnReply } from '../../../core/contract/spawn.ts';
import { type NewJob, statusOf } from '../../../core/contract/job.ts';
import { refuseBadLabels } from '../../../core/lifecycle/placement/labels.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import { walk } from '../../../core/workflow-file/graph/walk.ts';
import { ListsWriter } from '../../../core/lists/int-list.ts';
import { STANDARD_MAX_ITERATIONS } from '../../../core/contract/standard-settings.ts';
import type { Store } from '../store.ts';
import type { WorkSteps } from '../../store/work.ts';
import type { CreateJobs } from './create.ts';
import { createEdgeWriter } from './new-edges.ts';
import type { NewJobQueries, SpawnQueries } from './queries.ts';

/** Jobs whose dependencies are written between two steps. */
const A_FEW = 64;
const LINEAGE_VARIABLE = 'TORC_ORCHESTRATOR_LINEAGE_ID';

/**
 * A running job adds jobs to its workflow: they wait for it, and for the jobs that they name.
 *
 * Each request is a generation of its lineage, which user data counts, so that a loop that never converges ends at a
 * cap. A repeated request, after a lost reply or in a rerun of the job, writes nothing and returns the same ids. A
 * request without jobs ends the lineage with its last state.
 */
export const spawnJobs = (
  { changes, find }: Store,
  queries: SpawnQueries & Pick<NewJobQueries, 'insertEdges'>,
  create: CreateJobs,
) =>
  function* (
    callerId: number,
    { jobs, lineage: given, state }: SpawnRequest,
    onWrite: (firstId: number) => void,
  ): WorkSteps<SpawnReply> {
    refuseBadBatch(jobs);
    const caller = find.job(callerId);
    const { workflow_id: workflowId } = caller;
    const status = statusOf(caller.status);
    // A start is reported up to 50 ms late: a job that was assigned to a runner and sends a request has started.
    const isHeld = status === 'pending' && queries.isHeld.get({ id: callerId }) !== undefined;
    if (status !== 'running' && !isHeld) {
      throw new Refusal(
        'STATUS_REFUSED',
        `spawn_jobs requires the calling job to be Running (job_id=${callerId} is ${capitalized(status)}); spawned children blocked on an already-processed caller would never unblock`,
        { job_id: callerId, found: status },
      );
    }
    const lineage = given ?? caller.name;
    const prefix = `__torc_lineage__${lineage}__`;
    const iteration = queries.generation.get({ workflowId, prefix: `${prefix}g` })?.number ?? 0;
    const write = (name: string, data: object) =>
      queries.writeState.run({ workflowId, name: `${prefix}${name}`, data: JSON.stringify(data) });

    if (jobs.length === 0) {
      if (state !== undefined && state !== null) {
        queries.dropState.run({ workflowId, name: `${prefix}final` });
        write('final', { generation: iteration, spawn_count: iteration, final: true, state });
      }
      return { spawned_job_ids: [], iteration };
    }

    const named = [...new Set(jobs.flatMap(({ name, depends_on: names }) => [name, ...(names ?? [])]))];
    const existing = new Map(
      queries.jobsNamed.all({ workflowId, names: JSON.stringify(named) }).map(({ name, id }) => [name, id]),
    );
    const known = jobs.filter(({ name }) => existing.has(name));
    if (known.length === jobs.length)
      return { spawned_job_ids: jobs.map(({ name }) => existing.get(name) as number), iteration };
    if (known.length > 0)
      throw new Refusal('DUPLICATE', 'Inconsistent replay: some but not all jobs already exist', {
        jobs: known.map(({ name }) => name),
      });
    refuseBeyondCap(find.workflow(workflowId).dynamic_jobs, lineage, iteration);

    const requirements = requirementsOf(queries, workflowId, jobs);
    refuseCircle(jobs);
    refuseUnknown(jobs, existing);
    const created = yield* create({
      workflowId,
      onWrite,
      given: jobs.map((job, index): NewJob => ({
        workflow_id: workflowId,
        name: job.name,
        command: job.command,
        priority: job.priority,
        labels: job.labels,
        cancel_on_blocking_job_failure: job.cancel_on_blocking_job_failure,
        resource_requirements_id: requirements[index],
        env: { [LINEAGE_VARIABLE]: lineage },
      })),
    });
    for (const { name, id } of created) existing.set(name, id);
    const writer = createEdgeWriter(queries, workflowId);
    for (const [index, { id }] of created.entries()) {
      const waitsFor = (jobs[index]?.depends_on ?? []).map((name) => existing.get(name) as number);
      yield* writer.add(id, 'depends_on_job_ids', [callerId, ...waitsFor]);
      if (index % A_FEW === A_FEW - 1) yield;
    }
    yield* writer.rest();
    for (const [index, { id }] of created.entries()) {
      queries.blockSpawned.run({ id });
      if (index % A_FEW === A_FEW - 1) yield;
    }
    changes.record(workflowId, 'jobs_spawned', [{ job_id: callerId, jobs: created.length }]);
    const generation = iteration + 1;
    write(`g${String(generation).padStart(6, '0')}`, { generation, spawn_count: generation, state: state ?? null });
    return { spawned_job_ids: created.map(({ id }) => id), iteration: generation };
  };

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

function refuseBadBatch(jobs: readonly SpawnJob[]): void {
  const seen = new Set<string>();
  for (const { name } of jobs) {
    if (seen.has(name)) throw new Refusal('DUPLICATE', `duplicate name '${name}' in spawn batch`, { name });
    seen.add(name);
  }
  for (const { name, priority, labels } of jobs) {
    if ((priority ?? 0) < 0) {
      throw new Refusal('BODY_REFUSED', `spawn job '${name}' has invalid priority ${priority}: must be >= 0`, {
        field: 'priority',
        found: priority,
      });
    }
    refuseBadLabels(labels, ` for spawn job '${name}'`);
  }
}

function refuseBeyondCap(dynamic: string | null, lineage: string, count: number): void {
  const { max_iterations: reported } = (dynamic === null ? {} : JSON.parse(dynamic)) as {
    max_iterations?: number | null;
  };
  const most = reported ?? STANDARD_MAX_ITERATIONS;
  if (count + 1 <= most) return;
  throw new Refusal(
    'LINEAGE_CAPPED',
    `Per-lineage iteration cap reached for lineage '${lineage}': attempted iteration ${count + 1} exceeds dynamic_jobs.max_iterations=${most} (current spawn_count=${count})`,
    { lineage, found: count + 1, allowed: most },
  );
}

/** The ids of the requirements that jobs name; undefined for jobs that name none. */
function requirementsOf(queries: SpawnQueries, workflowId: number, jobs: readonly SpawnJob[]): (number | undefined)[] {
  return jobs.map(({ name, resource_requirements: wanted }) => {
    if (wanted === undefined || wanted === null) return undefined;
    const row = queries.requirementsNamed.get({ workflowId, name: wanted });
    if (row !== undefined) return row.id;
    throw new Refusal('REFERENCE_UNKNOWN', `Unknown resource_requirements '${wanted}' for spawn job '${name}'`, {
      field: 'resource_requirements',
      found: wanted,
    });
  });
}

/** Refuses jobs of the batch that wait for each other, by their names. */
function refuseCircle(jobs: readonly SpawnJob[]): void {
  const places = new Map(jobs.map(({ name }, place) => [name, place]));
  const writer = new ListsWriter(
    jobs.length,
    jobs.length,
    jobs.reduce((sum, { depends_on: others }) => sum + (others?.length ?? 0), 0),
  );
  for (const { depends_on: others } of jobs) {
    for (const name of others ?? []) {
      const place = places.get(name);
      if (place !== undefined) writer.add(place);
    }
    writer.next();
  }
  const [circle] = walk({ jobs: jobs.length, waitsFor: writer.done() }).cycles;
  if (circle === undefined) return;
  const names = circle.map((place) => jobs[place]?.name);
  throw new Refusal('CIRCLE', 'spawn jobs dependency graph contains a cycle', { jobs: names });
}

function refuseUnknown(jobs: readonly SpawnJob[], existing: ReadonlyMap<string, number>): void {
  const names = new Set(jobs.map(({ name }) => name));
  for (const { name, depends_on: others } of jobs) {
    const unknown = (others ?? []).find((other) => !names.has(other) && !existing.has(other));
    if (unknown === undefined) continue;
    throw new Refusal('REFERENCE_UNKNOWN', `spawn job '${name}' depends on unknown job '${unknown}'`, {
      field: 'depends_on',
      found: unknown,
    });
  }
}
