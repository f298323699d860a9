import type { ClaimedJob, ExchangeRequest, Need, Want } from '../../core/contract/exchange.ts';
import type { JobCompletionError } from '../../core/contract/result.ts';
import { parseMemory } from '../../core/quantity/bytes.ts';
import { parseDuration } from '../../core/quantity/duration.ts';
import type { Client } from '../client.ts';
import { all } from '../every.ts';
import { createFiles, type Files } from './files.ts';
import { inParallel } from './in-parallel.ts';
import type { PlainJob } from './plain-job.ts';
import { isInDoubt, isOfRequest } from './refused.ts';

export interface ClaimsOptions {
  readonly client: Client;
  readonly workflowId: number;
  readonly onWarning: (message: string) => void;
  readonly now: () => number;
}

/** The jobs of one runner, from the claim until they are handed out, end, or are given back. */
export interface Claims {
  readonly files: Files;
  /** Claims what is wanted. Throws when its answer was lost; what it claimed is looked for in the next turn. */
  claim(turn: ExchangeRequest, want: Want): Promise<void>;
  /** Hands out what was claimed, with all that the runner would have to ask for otherwise. */
  handOut(): Promise<ClaimedJob[]>;
  /** Hands out again what was handed out and is not among these: the runner did not wait for that answer. */
  handAgain(heldByRunner: readonly number[]): void;
  /** A job ended: it is not held any more. */
  forget(id: number): void;
  giveBack(turn: ExchangeRequest, ids: readonly number[]): Promise<JobCompletionError[]>;
  /** Gives back what was claimed and is not started, but for what the runner holds. */
  giveBackAll(turn: ExchangeRequest): Promise<JobCompletionError[]>;
}

/** Requests at once, as for reports. */
const AT_ONCE = 8;
/**
 * A claim without an answer may still be carried out for so long: the time after which a client stops waiting for an answer.
 * Jobs that it claims later are not found.
 */
const DOUBT_MS = 120_000;
/** As in Torc's runner: with less memory nothing can be claimed. */
const LEAST_MEMORY_GB = 0.1;

export function createClaims({ client, workflowId, onWarning, now }: ClaimsOptions): Claims {
  const files = createFiles(client);
  const needs = new Map<number, Need>();
  /** Claimed and not handed out yet. */
  let waiting: PlainJob[] = [];
  /** Handed out and not ended. */
  const held = new Map<number, PlainJob>();
  /** Given back, and the answer was lost: the job may be another runner's by now. */
  const returnedInDoubt = new Set<number>();
  let inDoubtUntil = 0;
  let hasWarned = false;

  const isAlone = async (nodeId: number): Promise<boolean> => {
    const query = { workflow_id: workflowId, is_active: true, limit: 2 };
    const { items } = await client.listComputeNodes({ query });
    return items.every(({ id }) => id === nodeId);
  };

  const needOf = async (requirementsId: number): Promise<Need> => {
    const before = needs.get(requirementsId);
    if (before !== undefined) return before;
    const found = await client.getResourceRequirements({ params: { id: requirementsId } });
    const need: Need = {
      num_cpus: found.num_cpus ?? 1,
      memory_bytes: parseMemory(found.memory ?? '1m'),
      num_gpus: found.num_gpus ?? 0,
      num_nodes: found.num_nodes ?? 1,
      runtime_seconds: parseDuration(found.runtime ?? 'PT1M'),
    };
    needs.set(requirementsId, need);
    return need;
  };

  /** Jobs that an unanswered claim made pending, as far as that can be told. */
  const findUnanswered = async (turn: ExchangeRequest): Promise<void> => {
    const query = { workflow_id: workflowId, status: 'pending' as const };
    const pending = (await all((page) => client.listJobs({ query: { ...query, ...page } }))) as PlainJob[];
    const ours = new Set([...held.keys(), ...(turn.held ?? []), ...waiting.map(({ id }) => id)]);
    const others = pending.filter(({ id }) => !ours.has(id));
    if (others.length === 0) return;
    if (await isAlone(turn.compute_node_id)) {
      // A list has no ids of outputs.
      for (const each of await inParallel(others, AT_ONCE, ({ id }) => read(id))) waiting.push(each);
      return;
    }
    if (hasWarned) return;
    hasWarned = true;
    onWarning(
      `The answer to a claim was lost while other runners were active: ${others.length} jobs are pending, and some of them may be held by nobody. ` +
        `If jobs are still pending when no runner is active, reset them: torc jobs reset-status --status pending --workflow-id ${workflowId} --force --reinit`,
    );
  };

  /** Drops jobs of an earlier turn that are not pending any more: the workflow was canceled, or somebody reset them. */
  const lookAgain = async (): Promise<void> => {
    const now = await inParallel(waiting, AT_ONCE, ({ id }) => read(id));
    const attempts = new Map(
      now.filter(({ status }) => status === 'pending').map((job) => [job.id, job.attempt_id ?? 1]),
    );
    waiting = waiting.filter(({ id, attempt_id: attempt }) => {
      const current = attempts.get(id);
      return current !== undefined && (attempt === undefined || attempt === null || attempt === current);
    });
  };

  const read = async (id: number) => (await client.getJob({ params: { id } })) as PlainJob;

  const ask = async (want: Want, limit: number): Promise<PlainJob[]> => {
    const { offer, labels, strict_scheduler_match: isStrict } = want;
    const params = { id: workflowId, limit };
    if (!offer) {
      const query = { limit, ...(labels && labels.length > 0 ? { labels: labels.join(',') } : {}) };
      return ((await client.claimNextJobs({ params, query })).jobs ?? []) as PlainJob[];
    }
    if (offer.num_cpus <= 0 || offer.memory_gb < LEAST_MEMORY_GB) return [];
    const query = isStrict === true ? { strict_scheduler_match: true } : {};
    return ((await client.claimJobsBasedOnResources({ params, query, body: offer })).jobs ?? []) as PlainJob[];
  };

  const giveBackOne = async (turn: ExchangeRequest, id: number): Promise<JobCompletionError[]> => {
    const refused = (message: string) => {
      held.delete(id);
      return [{ job_id: id, message }];
    };
    // The turn is told again, and this part of it was carried out: the job may be another runner's by now.
    if (!held.has(id) && !returnedInDoubt.has(id)) return [];
    try {
      // The route would make a job ready whatever it is, one that was canceled or ended too.
      if ((await read(id)).status === 'pending') {
        if (returnedInDoubt.has(id) && !(await isAlone(turn.compute_node_id)))
          return refused(
            'it was given back without an answer, and another runner may hold it by now. ' +
              `If it is still pending when no runner is active, reset it: torc jobs reset-status ${id} --force --reinit`,
          );
        returnedInDoubt.add(id);
        await client.manageStatusChange({ params: { id, status: 'ready', run_id: turn.run_id } });
      }
      returnedInDoubt.delete(id);
      held.delete(id);
      return [];
    } catch (error) {
      if (isOfRequest(error)) return refused(error.message);
      throw error;
    }
  };

  const giveBack: Claims['giveBack'] = async (turn, ids) => {
    return (await inParallel(ids, AT_ONCE, (id) => giveBackOne(turn, id))).flat();
  };

  return {
    files,
    giveBack,
    async claim(turn, want) {
      await lookAgain();
      if (now() < inDoubtUntil) await findUnanswered(turn);
      const limit = want.limit - waiting.length;
      if (limit <= 0) return;
      try {
        for (const each of await ask(want, limit)) waiting.push(each);
      } catch (error) {
        if (isInDoubt(error)) inDoubtUntil = now() + DOUBT_MS;
        throw error;
      }
    },
    async handOut() {
      const jobs = await inParallel(waiting, AT_ONCE, async (claimed): Promise<ClaimedJob> => {
        // The answer to a claim may leave out what another route tells.
        const isWhole = typeof claimed.attempt_id === 'number' && typeof claimed.resource_requirements_id === 'number';
        const job = isWhole ? claimed : { ...claimed, ...(await read(claimed.id)) };
        const outputs = await files.of(job.output_file_ids ?? []);
        return {
          ...job,
          attempt_id: job.attempt_id ?? 1,
          need: await needOf(job.resource_requirements_id as number),
          ...(outputs.length === 0 ? {} : { output_files: outputs }),
        };
      });
      waiting = [];
      for (const job of jobs) {
        held.set(job.id, job);
        returnedInDoubt.delete(job.id);
      }
      return jobs;
    },
    handAgain(heldByRunner) {
      const theirs = new Set(heldByRunner);
      for (const [id, job] of held) {
        if (theirs.has(id)) continue;
        held.delete(id);
        waiting.push(job);
      }
    },
    forget: (id) => void held.delete(id),
    async giveBackAll(turn) {
      if (now() < inDoubtUntil) await findUnanswered(turn);
      for (const job of waiting) held.set(job.id, job);
      waiting = [];
      const theirs = new Set(turn.held ?? []);
      return giveBack(
        turn,
        [...held.keys()].filter((id) => !theirs.has(id)),
      );
    },
  };
}
