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

/** The jobs of one runner, from the claim until they are passed on, end, or are returned. */
export interface Claims {
  readonly files: Files;
  /**
   * Claims the requested jobs. Throws if the reply was lost; the next exchange searches for the jobs that this claim
   * took.
   */
  claim(turn: ExchangeRequest, want: Want): Promise<void>;
  /** Passes the claimed jobs on, with all fields that the runner would otherwise have to request. */
  handOut(): Promise<ClaimedJob[]>;
  /**
   * Passes jobs on again that were passed on before and are not in this list: the runner did not receive that reply.
   */
  handAgain(heldByRunner: readonly number[]): void;
  /** A job ended and is no longer held. */
  forget(id: number): void;
  giveBack(turn: ExchangeRequest, ids: readonly number[]): Promise<JobCompletionError[]>;
  /** Returns claimed jobs that were not started, except those that the runner holds. */
  giveBackAll(turn: ExchangeRequest): Promise<JobCompletionError[]>;
}

/** Concurrent requests, as for reports. */
const AT_ONCE = 8;
/**
 * The time in which a claim without a reply may still be executed: the time after which a client stops waiting for a
 * reply. Jobs that it claims later are not found.
 */
const DOUBT_MS = 120_000;
/** As in Torc's runner: with less memory no job can be claimed. */
const LEAST_MEMORY_GB = 0.1;

export function createClaims({ client, workflowId, onWarning, now }: ClaimsOptions): Claims {
  const files = createFiles(client);
  const needs = new Map<number, Need>();
  /** Claimed and not passed on yet. */
  let waiting: PlainJob[] = [];
  /** Passed on and not ended. */
  const held = new Map<number, PlainJob>();
  /** Returned, and the reply was lost: another runner may hold the job now. */
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

  /** Jobs that a claim without a reply made pending, as far as this can be determined. */
  const findUnanswered = async (turn: ExchangeRequest): Promise<void> => {
    const query = { workflow_id: workflowId, status: 'pending' as const };
    const pending = (await all((page) => client.listJobs({ query: { ...query, ...page } }))) as PlainJob[];
    const ours = new Set([...held.keys(), ...(turn.held ?? []), ...waiting.map(({ id }) => id)]);
    const others = pending.filter(({ id }) => !ours.has(id));
    if (others.length === 0) return;
    if (await isAlone(turn.compute_node_id)) {
      // A list does not contain the ids of outputs.
      for (const each of await inParallel(others, AT_ONCE, ({ id }) => read(id))) waiting.push(each);
      return;
    }
    if (hasWarned) return;
    hasWarned = true;
    onWarning(
      `The reply to a claim was lost while other runners were active: ${others.length} jobs are pending, and some of them may be held by no runner. ` +
        `If jobs are still pending when no runner is active, reset them: torc jobs reset-status --status pending --workflow-id ${workflowId} --force --reinit`,
    );
  };

  /**
   * Drops jobs of an earlier exchange that are no longer pending: the workflow was canceled, or somebody reset them.
   */
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
    // The exchange is repeated, and this part of it was executed: another runner may hold the job now.
    if (!held.has(id) && !returnedInDoubt.has(id)) return [];
    try {
      // The route makes a job ready from any status, also a canceled or ended one.
      if ((await read(id)).status === 'pending') {
        if (returnedInDoubt.has(id) && !(await isAlone(turn.compute_node_id)))
          return refused(
            'it was returned without a reply, and another runner may hold it now. ' +
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
        // The reply to a claim may lack fields that another route returns.
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
