import { pause } from '../../client/long-timers.ts';
import { hostname } from 'node:os';
import type { Client } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { terminationOf } from '../../core/attempt/execution.ts';
import { recoverHere } from '../orphans/recover-here.ts';

/** What happens while a new run begins. */
export type BeginNews =
  /** Earlier attempts have not ended; reported again when the attempts change. */
  | { readonly kind: 'waits for attempts'; readonly holders: readonly AttemptHolder[] }
  /** A runner of this host that was killed could not be recovered completely; the message says what is left to do. */
  | { readonly kind: 'recovery warning'; readonly message: string };

interface BeginOptions {
  /** Even if jobs run or earlier attempts have not ended. */
  readonly force: boolean;
  readonly report: (news: BeginNews) => void;
}

/** A runner that still holds attempts of canceled or reset jobs, as the refusal names it. */
export interface AttemptHolder {
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
export async function beginRun(client: Client, workflowId: number, { force, report }: BeginOptions): Promise<Workflow> {
  const call = { params: { id: workflowId }, query: { force } };
  let reported = '';
  let untilMs: number | undefined;
  let hasRecovered = false;
  const onWarning = (message: string) => report({ kind: 'recovery warning', message });
  for (;;) {
    try {
      return await client.resetStatus(call);
    } catch (error) {
      const holders = holdersIn(error);
      if (holders.length === 0) {
        // Jobs that run in the name of a runner of this host that was killed do not run any more.
        if (!isBusy(error) || hasRecovered) throw error;
        hasRecovered = true;
        if ((await recoverHere(client, await client.getWorkflow({ params: { id: workflowId } }), onWarning)) === 0)
          throw error;
        continue;
      }
      if (untilMs === undefined) {
        const workflow = await client.getWorkflow({ params: { id: workflowId } });
        const { leadSeconds } = terminationOf(workflow.execution_config ?? {});
        untilMs = performance.now() + (leadSeconds + MARGIN_SECONDS) * 1000;
        if (holders.some(({ hostname: host }) => host === hostname())) await recoverHere(client, workflow, onWarning);
      }
      if (performance.now() >= untilMs) throw error;
      const held = JSON.stringify(holders);
      if (held !== reported) report({ kind: 'waits for attempts', holders });
      reported = held;
      await pause(PAUSE_MS);
    }
  }
}

const isBusy = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === 'WORKFLOW_BUSY';

/** The holders of attempts, if the server refused because of them; empty if it refused for another reason. */
function holdersIn(error: unknown): readonly AttemptHolder[] {
  if (!isBusy(error)) return [];
  try {
    const { error: reported } = JSON.parse(error.text) as { error?: { holders?: unknown } };
    return Array.isArray(reported?.holders) ? (reported.holders as AttemptHolder[]) : [];
  } catch {
    return [];
  }
}
