import { rmSync } from 'node:fs';
import type { Client } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import { all } from '../../client/every.ts';
import { isScriptOf } from '../../core/allocation/names.ts';
import { nextBatch } from '../../core/allocation/next-batch.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { isUnderLease, underLease } from '../recovery-lease.ts';
import { changeAllocations } from './change-allocations.ts';
import { type Draft, openDrafts } from './drafts.ts';
import { openLimits } from './queue-limits.ts';
import { isOfLiveProcess } from './script-owner.ts';
import { cancelDouble, waitForSubmissions } from './send-script.ts';
import type { Batch } from './settle-job.ts';
import { acceptJob, submitBatch } from './submit-batch.ts';
import { type AllocationRecord, requestOfRecord, type SubmitTools } from './submit-tools.ts';

export interface Finished {
  /** Ids in Slurm of the allocations that this call submitted or found, that of an array once for each task. */
  readonly jobIds: number[];
  /** Slurm refused them, or they cannot be requested; their records are removed. */
  readonly refused: { readonly message: string; readonly allocations: number }[];
  /** Allocations that stay planned because of a limit. */
  held: number;
}

/** The allocations of a workflow that are planned, and those whose job in Slurm is not known. */
export async function unfinishedAllocations(client: Client, workflowId: number): Promise<AllocationRecord[]> {
  const of = (status: string) =>
    all((page) => client.listScheduledComputeNodes({ query: { workflow_id: workflowId, status, ...page } }));
  return [...(await of('submitting')), ...(await of('planned'))] as AllocationRecord[];
}

interface Wanted {
  /** Only these records; without it all of the workflow. */
  readonly ids?: ReadonlySet<number>;
  /** This process has just created them, so Slurm has none of them. */
  readonly areNew?: boolean;
  /** Waits for another command that submits; otherwise `RECOVERY_ACTIVE` is thrown. */
  readonly waits?: boolean;
}

/**
 * Submits the allocations that are planned for a workflow, and finishes what a killed process began: a job that carries the
 * token of a record is taken, and every other is submitted.
 *
 * One command at a time does this. Throws if squeue cannot say which jobs exist, or if Slurm cannot be reached: then the
 * records stay as they are, and the next call goes on.
 */
export async function finishSubmissions(
  tools: SubmitTools,
  workflowId: number,
  { ids, areNew = false, waits = true }: Wanted = {},
): Promise<Finished> {
  const { client, command = 'submit', onWarning } = tools;
  const find = async () =>
    (await unfinishedAllocations(client, workflowId)).filter(({ id }) => ids === undefined || ids.has(id));
  const nothing: Finished = { jobIds: [], refused: [], held: 0 };
  if ((await find()).length === 0) return nothing;
  return underLease(client, { workflowId, command, onWait: waits ? onWarning : undefined }, async () => {
    const records = await find();
    const run: Run = {
      tools,
      workflowId,
      drafts: await openDrafts(tools, workflowId),
      limits: openLimits(tools, workflowId),
      areNew,
      finished: nothing,
      arrayRefusal: undefined,
      heldBy: undefined,
    };
    const begun = records.filter(isBegun);
    await finishBegun(run, begun);
    // Tasks of an array that Slurm refused are planned again.
    const planned = (begun.length === 0 ? records : await find()).filter((each) => !isBegun(each));
    const isOver = planned.some(({ held }) => held) && (await hasEnded(client, workflowId));
    for (const group of Map.groupBy(planned, keyOf).values()) {
      if (isOver) await change(run, group, { from: 'planned', status: 'canceled' });
      else await submitGroup(run, group);
    }
    return run.finished;
  });
}

interface Run {
  readonly tools: SubmitTools;
  readonly workflowId: number;
  readonly drafts: Awaited<ReturnType<typeof openDrafts>>;
  readonly limits: ReturnType<typeof openLimits>;
  readonly areNew: boolean;
  readonly finished: Finished;
  /** Slurm refused a job array with these words, so allocations are submitted one by one. */
  arrayRefusal: string | undefined;
  /** The limit because of which nothing more is submitted in this call. */
  heldBy: string | undefined;
}

const isBegun = ({ status }: AllocationRecord) => status === 'submitting';

/** Allocations with the same key are equal. */
const keyOf = ({ scheduler_config_id: scheduler, plan }: AllocationRecord) => `${scheduler} ${JSON.stringify(plan)}`;

const change = (
  { tools, workflowId }: Run,
  records: readonly AllocationRecord[],
  to: Parameters<typeof changeAllocations>[3],
) =>
  changeAllocations(
    tools.client,
    workflowId,
    records.map(({ id }) => id),
    to,
  );

async function hasEnded(client: Client, workflowId: number): Promise<boolean> {
  const {
    is_complete: isComplete,
    is_canceled: isCanceled,
    total_jobs: jobs,
  } = await client.getWorkflowStatus({
    params: { id: workflowId },
  });
  return isCanceled || (isComplete && jobs > 0);
}

/** Records that a process gave to sbatch, or was about to. */
async function finishBegun(run: Run, records: readonly AllocationRecord[]): Promise<void> {
  if (records.length === 0) return;
  const { tools, workflowId, drafts, areNew } = run;
  const { slurm } = tools;
  const groups = Map.groupBy(records, ({ id, array_task_id: task }) => id - (task ?? 0));
  if (!areNew) await waitForSubmissions(tools, [...groups.keys()].map(drafts.tokenOf));
  const scripts = areNew ? [] : await slurm.scripts();
  for (const [first, those] of groups) {
    const [record] = those as [AllocationRecord];
    const isArray = (record.array_task_id ?? undefined) !== undefined;
    const batch: Batch = { workflowId, records: those, first, isArray };
    const token = drafts.tokenOf(first);
    const draft = drafts.find({ ...record, id: first });
    const found = scripts.find(({ script }) => isScriptOf(script, token))?.jobId;
    if (found !== undefined) {
      await acceptJob(tools, { batch, draft, jobId: found });
      await cancelDouble(tools, token, found);
      run.finished.jobIds.push(...those.map(() => found));
    } else if (draft !== undefined && !areNew && !isUnderLease() && isOfLiveProcess(draft.path))
      tools.onWarning(
        `allocation record ${first} is being submitted by another process, or was within 15 minutes: ${draft.path}`,
      );
    else if (record.plan ?? undefined) await send(run, batch, () => drafts.write({ ...record, id: first }, isArray));
    else if (draft !== undefined) await sendWithoutPlan(run, batch, draft);
    else {
      await remove(run, those);
      tools.onWarning(
        `an allocation of scheduler ${record.scheduler_config_id} was never submitted: its process was interrupted`,
      );
    }
  }
}

/** On Torc's own server the script is the plan: a record that a limit holds back stays as it is. */
async function sendWithoutPlan(run: Run, batch: Batch, draft: Draft): Promise<void> {
  const room = run.heldBy === undefined ? await run.limits.room() : 0;
  if (room !== undefined && room <= 0) run.heldBy ??= `max_queued ${run.tools.settings.maxQueued}`;
  if (run.heldBy === undefined) await send(run, batch, () => Promise.resolve(draft));
  if (run.heldBy !== undefined) run.finished.held += 1;
}

/** Submits equal allocations, which are planned, as far as the limits allow. */
async function submitGroup(run: Run, group: readonly AllocationRecord[]): Promise<void> {
  const { tools, workflowId, drafts, limits } = run;
  let left = group.toSorted((a, b) => a.id - b.id);
  while (left.length > 0) {
    run.heldBy ??= await pauseReason(run);
    if (run.heldBy !== undefined) return hold(run, left, run.heldBy);
    const mostTasks = run.arrayRefusal === undefined ? await mostTasksOf(run, group) : 1;
    const next = nextBatch({ ids: left.map(({ id }) => id), room: await limits.room(), mostTasks });
    if (next === undefined) {
      run.heldBy = `max_queued ${tools.settings.maxQueued}`;
      continue;
    }
    const { ids, isArray } = next;
    const [first] = ids as [number];
    const array = isArray ? { array_record_id: first } : {};
    const to = { from: 'planned', status: 'submitting', ...array };
    const taken = new Set(await changeAllocations(tools.client, workflowId, ids, to));
    const records = left.filter(({ id }) => taken.has(id));
    const before = left;
    left = left.filter(({ id }) => !ids.includes(id));
    if (records.length === 0) continue;
    const [record] = records as [AllocationRecord];
    const batch: Batch = { workflowId, records, first, isArray };
    const end = await send(run, batch, () => drafts.write({ ...record, id: first }, isArray));
    if (end === 'again') left = before.filter(({ id }) => taken.has(id) || !ids.includes(id));
    else if (end === 'refused') return remove(run, left);
  }
}

async function mostTasksOf({ tools, drafts }: Run, [record]: readonly AllocationRecord[]): Promise<number> {
  const { mostTasks } = tools;
  if (mostTasks === undefined || record === undefined) return 1;
  return (await drafts.takesArray(requestOfRecord(record))) ? mostTasks() : 1;
}

/**
 * `again`: Slurm refused the array, or takes no more jobs, and the records are planned again. `refused`: they are removed.
 */
async function send(run: Run, batch: Batch, draftOf: () => Promise<Draft>): Promise<'submitted' | 'again' | 'refused'> {
  const { tools, limits, finished } = run;
  const { records, isArray } = batch;
  let draft: Draft;
  try {
    draft = await draftOf();
  } catch (error) {
    // The request cannot be served, or its scheduler is gone.
    if (!(error instanceof Refusal) && !(error instanceof ServiceError && error.status === 404)) throw error;
    return refuse(run, records, error.message);
  }
  const end = await submitBatch(tools, { batch, draft, limits });
  if ('jobId' in end) {
    finished.jobIds.push(...records.map(() => end.jobId));
    // Without an array it was the same request: the array was what Slurm refused.
    if (run.arrayRefusal !== undefined && run.arrayRefusal !== '')
      tools.onWarning(`Slurm refused a job array, so allocations are submitted one by one: ${run.arrayRefusal}`);
    if (run.arrayRefusal !== undefined) run.arrayRefusal = '';
    return 'submitted';
  }
  const { kind, message } = end.refusal;
  if (isArray) run.arrayRefusal = message;
  else if (kind === 'full') run.heldBy = message.split('\n')[0] as string;
  else {
    rmSync(draft.path, { force: true });
    return refuse(run, records, message);
  }
  if (records[0]?.plan ?? undefined) await change(run, records, { from: 'submitting', status: 'planned' });
  return 'again';
}

async function refuse(run: Run, records: readonly AllocationRecord[], message: string): Promise<'refused'> {
  await remove(run, records);
  run.finished.refused.push({ message, allocations: records.length });
  return 'refused';
}

const TOGETHER = 32;

/** A refused submission leaves no record. */
async function remove({ tools }: Run, records: readonly AllocationRecord[]): Promise<void> {
  for (let at = 0; at < records.length; at += TOGETHER)
    await Promise.all(
      records.slice(at, at + TOGETHER).map(({ id }) =>
        tools.client.deleteScheduledComputeNode({ params: { id } }).catch((error: unknown) => {
          if (!(error instanceof ServiceError) || error.status !== 404) throw error;
        }),
      ),
    );
}

async function pauseReason({ tools, limits }: Run): Promise<string | undefined> {
  const words = await limits.pauseReason();
  if (words === undefined) return undefined;
  tools.onWarning(`No more allocations are submitted: ${words}`);
  return `paused: ${words.split('\n')[0]}`;
}

async function hold(run: Run, records: readonly AllocationRecord[], why: string): Promise<void> {
  const fresh = records.filter(({ held }) => held !== why);
  await change(run, fresh, { from: 'planned', status: 'planned', held: why });
  run.finished.held += records.length;
  run.tools.onHeld?.({ allocations: records.length, why });
}
