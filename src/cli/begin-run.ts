import { pause } from '../client/long-timers.ts';
import { hostname } from 'node:os';
import type { Client } from '../client/client.ts';
import { ServiceError } from '../client/errors.ts';
import type { Workflow } from '../core/contract/workflow.ts';
import { terminationOf } from '../runner/deadline.ts';
import type { Output } from './output/output.ts';
import { counted } from './output/words.ts';

interface BeginOptions {
  /** Even if jobs run or earlier attempts have not ended. */
  readonly force: boolean;
  readonly output: Output;
}

/** A runner that still holds attempts of canceled or reset jobs, as the refusal names it. */
interface Holder {
  readonly compute_node_id: number;
  readonly hostname: string;
  readonly attempts: number;
}

/** Pause between two attempts. */
const PAUSE_MS = 500;

/** Added to the lead time of the workflow, in which its runners kill remaining jobs: the time for their reports. */
const MARGIN_SECONDS = 30;

/**
 * Begins a new run of a workflow.
 *
 * While attempts that were canceled or reset have not ended, the server refuses, because their jobs would run twice at
 * once. Their runners need at most the lead time of the workflow to end them: this reports what it waits for, and tries
 * again until then. A lost runner of this host is recovered first, because no other host can do it.
 */
export async function beginRun(client: Client, workflowId: number, { force, output }: BeginOptions): Promise<Workflow> {
  const call = { params: { id: workflowId }, query: { force } };
  let told = '';
  let untilMs: number | undefined;
  let hasRecovered = false;
  for (;;) {
    try {
      return await client.resetStatus(call);
    } catch (error) {
      const holders = holdersIn(error);
      if (holders.length === 0) {
        // Jobs that run in the name of a runner of this host that was killed do not run any more.
        if (!isBusy(error) || hasRecovered) throw error;
        hasRecovered = true;
        if ((await recoverHere(client, await client.getWorkflow({ params: { id: workflowId } }), output)) === 0)
          throw error;
        continue;
      }
      if (untilMs === undefined) {
        const workflow = await client.getWorkflow({ params: { id: workflowId } });
        const { leadSeconds } = terminationOf(workflow.execution_config ?? {});
        untilMs = performance.now() + (leadSeconds + MARGIN_SECONDS) * 1000;
        if (holders.some(({ hostname: host }) => host === hostname())) await recoverHere(client, workflow, output);
      }
      if (performance.now() >= untilMs) throw error;
      const what = waitingWords(holders);
      if (what !== told) output.notice(what);
      told = what;
      await pause(PAUSE_MS);
    }
  }
}

/** The message while attempts end. */
export function waitingWords(holders: readonly Holder[]): string {
  const attempts = holders.reduce((sum, each) => sum + each.attempts, 0);
  const where = holders.map(({ hostname: host, compute_node_id: id }) => `${host} (compute node ${id})`);
  return `Waiting for ${counted(attempts, 'attempt')} of earlier jobs to end on ${where.join(', ')}`;
}

const isBusy = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'WORKFLOW_BUSY';

/** The holders of attempts, if the server refused because of them; empty if it refused for another reason. */
function holdersIn(error: unknown): readonly Holder[] {
  if (!isBusy(error)) return [];
  try {
    const { error: told } = JSON.parse(error.text) as { error?: { holders?: unknown } };
    return Array.isArray(told?.holders) ? (told.holders as Holder[]) : [];
  } catch {
    return [];
  }
}

/** Takes back what runners of this host held that were killed. Returns how many there were. */
export async function recoverHere(client: Client, { id, run_id: runId }: Workflow, output: Output): Promise<number> {
  const { recoverLostRunners } = await import('../runner/lost.ts');
  const log = {
    write: (level: string, words: string) => (level === 'warn' || level === 'error' ? output.warn(words) : undefined),
    close: () => {},
  };
  return recoverLostRunners({ client, workflowId: id as number, runId: runId ?? 0, hostname: hostname(), log });
}
