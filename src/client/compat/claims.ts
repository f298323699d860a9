import type { ClaimedJob, ExchangeRequest, Need, Want } from '../../core/contract/exchange.ts';
import type { JobCompletionError } from '../../core/contract/result.ts';
import type { Client } from '../client.ts';
import { createFiles, type Files } from './files.ts';
import { inParallel } from './in-parallel.ts';
import { createReads, type PlainJob, type Reads, READS_AT_ONCE } from './reads.ts';
import { isInDoubt, isOfRequest } from './refused.ts';
import { createUnanswered, type UnansweredOptions } from './unanswered.ts';
import { parseMemory } from '../../core/quantity/bytes.ts';
import { parseDuration } from '../../core/quantity/duration.ts';

export type ClaimsOptions = Omit<UnansweredOptions, 'reads'>;

/** The jobs of one runner, from the claim until they are passed on, end, or are returned. */
export interface Claims {
  readonly files: Files;
  /**
   * Claims the requested jobs. Throws if the reply was lost; the next exchange searches for the jobs that this claim
   * took.
   */
  claim(turn: ExchangeRequest, want: Want): Promise<void>;
  /** Passes the claimed jobs on, with all fields that the runner would otherwise have to request. */
  passOn(): Promise<ClaimedJob[]>;
  /**
   * Passes jobs on again that were passed on before and are not in this list: the runner did not receive that reply.
   */
  passOnAgain(heldByRunner: readonly number[]): void;
  /** A job ended and is no longer held. */
  forget(id: number): void;
  giveBack(turn: ExchangeRequest, ids: readonly number[]): Promise<JobCompletionError[]>;
  /** Returns claimed jobs that were not started, except those that the runner holds. */
  giveBackAll(turn: ExchangeRequest): Promise<JobCompletionError[]>;
}

export function createClaims({ client, workflowId, onWarning, now }: ClaimsOptions): Claims {
  const files = createFiles(client);
  const needOf = createNeeds(client);
  const reads = createReads(client, workflowId);
  const unanswered = createUnanswered({ client, workflowId, reads, onWarning, now });
  /** Claimed and not passed on yet. */
  let waiting: PlainJob[] = [];
  /** Passed on and not ended. */
  const held = new Map<number, PlainJob>();
  const returns = createReturns(client, reads, held);

  const findUnanswered = async (turn: ExchangeRequest): Promise<void> => {
    const ours = new Set([...held.keys(), ...(turn.held ?? []), ...waiting.map(({ id }) => id)]);
    for (const each of await unanswered.find(turn.compute_node_id, ours)) waiting.push(each);
  };

  return {
    files,
    giveBack: returns.giveBack,
    async claim(turn, want) {
      waiting = stillPending(waiting, await inParallel(waiting, READS_AT_ONCE, ({ id }) => reads.job(id)));
      await findUnanswered(turn);
      const limit = want.limit - waiting.length;
      if (limit <= 0) return;
      try {
        for (const each of await askForJobs(client, workflowId, want, limit)) waiting.push(each);
      } catch (error) {
        if (isInDoubt(error)) unanswered.note();
        throw error;
      }
    },
    async passOn() {
      const jobs = await inParallel(waiting, READS_AT_ONCE, async (claimed): Promise<ClaimedJob> => {
        // The reply to a claim may lack fields that another route returns.
        const isWhole = typeof claimed.attempt_id === 'number' && typeof claimed.resource_requirements_id === 'number';
        const job = isWhole ? claimed : { ...claimed, ...(await reads.job(claimed.id)) };
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
        returns.isHeldAgain(job.id);
      }
      return jobs;
    },
    passOnAgain(heldByRunner) {
      const theirs = new Set(heldByRunner);
      for (const [id, job] of held) {
        if (theirs.has(id)) continue;
        held.delete(id);
        waiting.push(job);
      }
    },
    forget: (id) => void held.delete(id),
    async giveBackAll(turn) {
      await findUnanswered(turn);
      for (const job of waiting) held.set(job.id, job);
      waiting = [];
      const theirs = new Set(turn.held ?? []);
      return returns.giveBack(
        turn,
        [...held.keys()].filter((id) => !theirs.has(id)),
      );
    },
  };
}

/** As in Torc's runner: with less memory no job can be claimed. */
const LEAST_MEMORY_GB = 0.1;

/** Asks the server for jobs, by number or by resources, with Torc's route for each. */
async function askForJobs(client: Client, workflowId: number, want: Want, limit: number): Promise<PlainJob[]> {
  const { offer, labels, strict_scheduler_match: isStrict } = want;
  const params = { id: workflowId, limit };
  if (!offer) {
    const query = { limit, ...(labels && labels.length > 0 ? { labels: labels.join(',') } : {}) };
    return ((await client.claimNextJobs({ params, query })).jobs ?? []) as PlainJob[];
  }
  if (offer.num_cpus <= 0 || offer.memory_gb < LEAST_MEMORY_GB) return [];
  const query = isStrict === true ? { strict_scheduler_match: true } : {};
  return ((await client.claimJobsBasedOnResources({ params, query, body: offer })).jobs ?? []) as PlainJob[];
}

/** The requirements of jobs, each record read once. */
function createNeeds(client: Pick<Client, 'getResourceRequirements'>): (id: number) => Promise<Need> {
  const known = new Map<number, Need>();
  return async (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const found = await client.getResourceRequirements({ params: { id } });
    const need: Need = {
      num_cpus: found.num_cpus ?? 1,
      memory_bytes: parseMemory(found.memory ?? '1m'),
      num_gpus: found.num_gpus ?? 0,
      num_nodes: found.num_nodes ?? 1,
      runtime_seconds: parseDuration(found.runtime ?? 'PT1M'),
    };
    known.set(id, need);
    return need;
  };
}

/** Returns of claimed jobs that were not started. */
interface Returns {
  /** The parts that were refused. Throws if it is unknown whether the server processed them. */
  giveBack(turn: ExchangeRequest, ids: readonly number[]): Promise<JobCompletionError[]>;
  /** The job was passed on again, so it is held whatever became of its return. */
  isHeldAgain(id: number): void;
}

/** Jobs that are returned are removed from those that are held. */
function createReturns(client: Client, reads: Reads, held: Map<number, PlainJob>): Returns {
  /** Returned, and the reply was lost: another runner may hold the job now. */
  const inDoubt = new Set<number>();

  const giveBackOne = async (turn: ExchangeRequest, id: number): Promise<JobCompletionError[]> => {
    const refused = (message: string) => {
      held.delete(id);
      return [{ job_id: id, message }];
    };
    // The exchange is repeated, and this part of it was executed: another runner may hold the job now.
    if (!held.has(id) && !inDoubt.has(id)) return [];
    try {
      // The route makes a job ready from any status, also a canceled or ended one.
      if ((await reads.job(id)).status === 'pending') {
        if (inDoubt.has(id) && !(await reads.isAlone(turn.compute_node_id)))
          return refused(
            'it was returned without a reply, and another runner may hold it now. ' +
              `If it is still pending when no runner is active, reset it: torc jobs reset-status ${id} --force --reinit`,
          );
        inDoubt.add(id);
        await client.manageStatusChange({ params: { id, status: 'ready', run_id: turn.run_id } });
      }
      inDoubt.delete(id);
      held.delete(id);
      return [];
    } catch (error) {
      if (isOfRequest(error)) return refused(error.message);
      throw error;
    }
  };

  return {
    giveBack: async (turn, ids) => (await inParallel(ids, READS_AT_ONCE, (id) => giveBackOne(turn, id))).flat(),
    isHeldAgain: (id) => void inDoubt.delete(id),
  };
}

/**
 * The claimed jobs that are still ours by what the server says of them now: pending, in the attempt that was claimed. The
 * others were canceled with their workflow, or reset by another caller.
 */
export function stillPending(claimed: readonly PlainJob[], now: readonly PlainJob[]): PlainJob[] {
  const attempts = new Map(
    now.filter(({ status }) => status === 'pending').map((job) => [job.id, job.attempt_id ?? 1]),
  );
  return claimed.filter(({ id, attempt_id: attempt }) => {
    const current = attempts.get(id);
    // The reply to a claim may lack the attempt.
    return current !== undefined && (attempt === undefined || attempt === null || attempt === current);
  });
}
