import type { Client } from '../../../client/client.ts';
import type { ClaimedJob, Completion, Retried } from '../../../core/contract/exchange.ts';
import type { FailureHandler } from '../../../core/contract/scheduling.ts';
import type { Ledger } from '../../report/ledger.ts';
import type { Log } from '../../log.ts';
import type { Outbox } from '../../report/outbox.ts';
import type { WorkflowFacts } from '../../setup/workflow-facts.ts';
import type { Outcome } from '../outcome.ts';
import type { Shells } from '../../launch/shell.ts';
import { jobVariables, type RunFacts } from '../../step/request.ts';
import { readRules, type Rule, type Rules, verdictOf } from './rules.ts';

export interface RetryOptions {
  readonly client: Client;
  readonly reads: Pick<WorkflowFacts, 'failureHandlers'>;
  readonly facts: RunFacts;
  readonly usesPendingFailed: boolean;
  readonly ledger: Ledger;
  readonly outbox: Outbox;
  readonly shells: Shells;
  readonly log: Log;
}

/** Applies the failure handlers of a workflow to failed attempts. */
export interface Retry {
  /**
   * Handles a failed attempt: its job is retried, or its end is reported, perhaps as one that waits for a decision.
   * The returned promise resolves when that is final; undefined if it already is.
   */
  take(job: ClaimedJob, completion: Completion, tell: (completion: Completion) => void): Promise<void> | undefined;
}

/**
 * Reads the failure handlers of the workflow once: the server cannot change them. A handler that is created later is
 * read when its first job fails.
 *
 * The retry is written into the ledger at once, reported to the server when the recovery script has ended, and stored
 * there together with the result of the failed attempt. Until then the job counts as running here, so no runner starts
 * the next attempt while the script still prepares it.
 */
export async function createRetry(options: RetryOptions): Promise<Retry> {
  const { client, reads, facts, usesPendingFailed, ledger, outbox, shells, log } = options;
  const { workflowId } = facts;

  const rulesOf = ({ id, name, rules }: FailureHandler): Rules => {
    try {
      return readRules(rules);
    } catch (error) {
      log.write('warn', 'A failure handler cannot be read; its jobs stay failed', {
        failure_handler_id: id,
        name,
        reason: (error as Error).message,
      });
      return 'unreadable';
    }
  };

  const fetchRules = async (id: number): Promise<Rules> => {
    try {
      const rules = rulesOf(await client.getFailureHandler({ params: { id } }));
      known.set(id, rules);
      return rules;
    } catch (error) {
      log.write('warn', 'A failure handler cannot be fetched; the job stays failed', {
        failure_handler_id: id,
        reason: (error as Error).message,
      });
      return 'unreadable';
    }
  };

  const handlers = await reads.failureHandlers();
  const known = new Map<number, Rules>(handlers.map((each) => [each.id as number, rulesOf(each)]));

  const recover = async (job: ClaimedJob, returnCode: number, script: string): Promise<void> => {
    const output = recoveryLogOf(facts, job);
    const about = { workflow_id: workflowId, job_id: job.id, attempt_id: job.attempt_id, output };
    const end = await shells.run({
      script,
      cwd: process.cwd(),
      variables: [...jobVariables(facts, job), ['TORC_RETURN_CODE', String(returnCode)]],
      output,
    });
    if (end === undefined) log.write('info', 'Recovery script finished', about);
    else log.write('warn', 'Recovery script failed; the job is retried nevertheless', { ...about, reason: end });
  };

  const again = (job: ClaimedJob, completion: Completion, rule: Rule): Promise<void> | undefined => {
    const retried: Retried = { ...completion, max_retries: rule.maxRetries };
    ledger.retry(retried);
    log.write('info', 'Job retry scheduled', {
      workflow_id: workflowId,
      job_id: job.id,
      job_name: job.name,
      run_id: facts.runId,
      attempt_id: job.attempt_id,
      return_code: completion.return_code,
      max_retries: rule.maxRetries,
    });
    const script = rule.recoveryScript;
    if (script === undefined || script.trim() === '') {
      outbox.retried(retried);
      return undefined;
    }
    ledger.flush();
    return recover(job, completion.return_code, script).then(() => outbox.retried(retried));
  };

  return {
    take(job, completion, tell) {
      const handlerId = job.failure_handler_id ?? 0;
      const judge = (rules: Rules): Promise<void> | undefined => {
        const outcome = { status: completion.status as Outcome['status'], returnCode: completion.return_code };
        const verdict = verdictOf(outcome, job.attempt_id - (job.refunded_attempts ?? 0), rules, usesPendingFailed);
        if (verdict.kind === 'again') return again(job, completion, verdict.rule);
        tell(verdict.kind === 'undecided' ? { ...completion, status: 'pending_failed' } : completion);
        return undefined;
      };
      const rules = handlerId === 0 ? 'none' : known.get(handlerId);
      return rules === undefined ? fetchRules(handlerId).then(judge) : judge(rules);
    },
  };
}

/** The output of the recovery script after an attempt. */
const recoveryLogOf = (
  { workflowId, runId, outputDir }: RunFacts,
  { id, attempt_id: attempt }: Pick<ClaimedJob, 'id' | 'attempt_id'>,
): string => `${outputDir}/recovery_wf${workflowId}_j${id}_r${runId}_a${attempt}.log`;
