import { nextBatch } from '../../core/allocation/next-batch.ts';
import { changeAllocations } from '../../client/compat/change-allocations.ts';
import type { Batch } from './settle-job.ts';
import { change, removeRecords, type Run, send } from './submission-run.ts';
import type { AllocationRecord } from './submit-tools.ts';
import { requestOfRecord } from '../../core/allocation/request.ts';

/** Submits equal allocations, which are planned, as far as the limits allow. */
export async function submitGroup(run: Run, group: readonly AllocationRecord[]): Promise<void> {
  const { tools, workflowId, drafts, limits } = run;
  let left = group.toSorted((a, b) => a.id - b.id);
  const [any] = left;
  if (any === undefined) return;
  while (left.length > 0) {
    run.heldBy ??= await pauseReason(run);
    if (run.heldBy !== undefined) return hold(run, left, run.heldBy);
    const mostTasks = run.arrayRefusal === undefined ? await mostTasksOf(run, group) : 1;
    const room = await limits.room(any);
    const next = nextBatch({ ids: left.map(({ id }) => id), room: room?.allocations, mostTasks });
    // Allocations of another scheduler may be smaller.
    if (next === undefined) return hold(run, left, room?.why ?? '');
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
    else if (end === 'refused') return removeRecords(run, left);
  }
}

async function mostTasksOf({ tools, drafts }: Run, [record]: readonly AllocationRecord[]): Promise<number> {
  const { mostTasks } = tools;
  if (mostTasks === undefined || record === undefined) return 1;
  return (await drafts.takesArray(requestOfRecord(record))) ? mostTasks() : 1;
}

async function pauseReason({ tools, limits }: Run): Promise<string | undefined> {
  const { words, isReported } = (await limits.pauseReason()) ?? {};
  if (words === undefined) return undefined;
  if (isReported !== true) tools.onWarning(`No more allocations are submitted: ${words}`);
  return `paused: ${words.split('\n')[0]}`;
}

async function hold(run: Run, records: readonly AllocationRecord[], why: string): Promise<void> {
  const [any] = records;
  const limit = any === undefined ? undefined : run.limits.most(any);
  // A later submission keeps the limit that holds now.
  const fresh = records.filter(({ held, plan }) => held !== why || (plan?.max_queued ?? undefined) !== limit);
  await change(run, fresh, { from: 'planned', status: 'planned', held: why, max_queued: limit });
  run.finished.held += records.length;
  run.tools.onHeld?.({ allocations: records.length, why });
}
