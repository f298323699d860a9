import type { ExchangeReply, ExchangeRequest } from '../../core/contract/exchange.ts';
import type { JobCompletionError } from '../../core/contract/result.ts';
import type { Client } from '../client.ts';
import { createClaims } from './claims.ts';
import { workflowGone, runSuperseded } from './refused.ts';
import { createReports } from './reports.ts';

/** Performs an exchange of a runner, see `ExchangeRequest`. */
export type Exchange = (turn: ExchangeRequest) => Promise<ExchangeReply>;

export interface PlainExchangeOptions {
  readonly client: Client;
  readonly workflowId: number;
  /** Called with messages that the user should read, each once. */
  readonly onWarning: (message: string) => void;
  readonly now?: () => number;
}

/**
 * Performs the exchanges of a runner with a server that has no `exchange` route: Torc's own.
 *
 * An exchange becomes a sequence of Torc's requests: read the workflow (its run fences the exchange), start, complete,
 * retry, return, claim, read the counts. The sequence is not a transaction, so an exchange may fail in the middle. The
 * runner then sends it again, and every part is safe to repeat:
 *
 * - A start, end or retry that the server knows already counts as reported: its refusal is compared with the job's
 *   state.
 * - Jobs claimed before the failure are kept here and passed on with the next exchange that succeeds.
 * - A claim whose reply was lost leaves jobs `pending` that no runner holds. They are found and passed on if this
 *   runner is the only active one of its workflow; otherwise their owner cannot be determined, and a warning names the
 *   remedy.
 * - A returned job is returned again only if no other runner can have claimed it since.
 *
 * Two gaps of the server cannot be closed by a client: it does not recognise a late request (its retry route has no
 * attempt to fence it), and jobs of a killed runner stay `pending` or `running` until a user resets them.
 */
export function createPlainExchange({ client, workflowId, onWarning, now = Date.now }: PlainExchangeOptions): Exchange {
  const params = { id: workflowId };
  const claims = createClaims({ client, workflowId, onWarning, now });
  const reports = createReports({ client, workflowId, files: claims.files, onWarning });
  let last: Promise<unknown> = Promise.resolve();
  let answered: { readonly turn: number; readonly reply: ExchangeReply } | undefined;
  let changeId = 0;

  const carryOut = async (turn: ExchangeRequest): Promise<ExchangeReply> => {
    if (typeof turn.turn === 'number' && turn.turn === answered?.turn) return answered.reply;
    const { run_id: current } = await client.getWorkflow({ params }).catch(workflowGone);
    if (current !== turn.run_id) throw runSuperseded(turn.run_id, current ?? 0);

    const errors: JobCompletionError[] = await reports.report(turn);
    for (const { job_id: id } of [...(turn.completed ?? []), ...(turn.retried ?? [])]) claims.forget(id);
    for (const each of await claims.giveBack(turn, turn.returned ?? [])) errors.push(each);
    if (turn.held) claims.passOnAgain(turn.held);
    if (turn.is_last === true) for (const each of await claims.giveBackAll(turn)) errors.push(each);
    else if (turn.want) await claims.claim(turn, turn.want);

    const [status, due] = await Promise.all([
      client.getWorkflowStatus({ params }).catch(workflowGone),
      client.listPendingActions({ params }),
    ]);
    const jobs = turn.want && turn.is_last !== true && !status.is_canceled ? await claims.passOn() : [];
    const dueOfJobs = due.filter(({ trigger_type: trigger }) => JOB_TRIGGERS.has(trigger)).map(({ id }) => id);
    changeId += 1;
    const reply: ExchangeReply = {
      jobs,
      errors,
      jobs_by_status: status.jobs_by_status,
      is_complete: status.is_complete,
      is_canceled: status.is_canceled,
      change_id: changeId,
      ...(dueOfJobs.length === 0 ? {} : { due_actions: dueOfJobs }),
    };
    if (typeof turn.turn === 'number') answered = { turn: turn.turn, reply };
    return reply;
  };

  // One at a time, also if the runner has stopped waiting for the previous one.
  return (turn) => {
    const done = last.then(() => carryOut(turn));
    last = done.catch(() => {});
    return done;
  };
}

const JOB_TRIGGERS: ReadonlySet<string> = new Set(['on_jobs_ready', 'on_jobs_complete']);
