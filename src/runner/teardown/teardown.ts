import type { Client } from '../../client/client.ts';
import type { Actions } from '../actions/actions.ts';
import type { RunnersAllocation } from '../setup/allocation-record.ts';
import type { Conversation } from '../report/conversation/converse.ts';
import type { OutputDisk } from '../attempt/output-disk.ts';
import type { Crate } from '../attempt/crate/crate.ts';
import type { HeldJobs } from '../held/held-jobs.ts';
import type { Drain } from '../outage/drain.ts';
import type { Journal } from '../outage/journal/journal.ts';
import { reportCutOutput } from './cut-output.ts';
import { reportUnclaimedJobs } from './unclaimed-jobs.ts';
import type { Monitor } from '../observe/monitor.ts';
import type { NodeSummary } from '../observe/node-watch.ts';
import type { RunEnding, RunSummary } from '../facts/options.ts';
import type { Registered } from '../setup/register.ts';
import type { Steps } from '../step/steps.ts';
import type { Sweep } from '../report/sweep.ts';
import { endLeftoverProcesses } from '../recover/leftover-processes.ts';

/** The parts of a runner when no job runs any more. */
interface Parts {
  readonly client: Client;
  /** A client that retries while the server is away. */
  readonly patient: Client;
  readonly record: RunnersAllocation;
  readonly registered: Registered;
  readonly conversation: Conversation;
  readonly jobs: HeldJobs;
  readonly steps: Steps;
  readonly monitor: Monitor;
  readonly disk: OutputDisk;
  readonly actions: Actions;
  readonly crate: Crate | undefined;
  /** Absent: temporary files are kept. */
  readonly sweep: Sweep | undefined;
  readonly drain: Drain;
  readonly journal: Journal;
  /** On the monotonic clock, so that a clock that was set back causes no negative duration. */
  readonly startedAt: number;
}

/**
 * The teardown of a runner, in this order: all results are reported, the actions of the end run, processes that jobs
 * left end, plots are drawn, the runner reports the jobs that it leaves and is deregistered, the ledger is removed. If
 * the server is unreachable, the steps that need it are skipped, and unreported results are kept.
 */
export async function tearDown(
  parts: Parts,
  { ending, reason: why }: { readonly ending: RunEnding; readonly reason?: string | undefined },
): Promise<RunSummary> {
  const { client, registered, conversation, jobs, monitor, actions, drain } = parts;
  const { nodeId, run } = registered;
  const { workflowId, runId, ledger, log } = run;
  const seen = monitor.close();
  const isReported = await conversation.finish();
  if (isReported) await parts.sweep?.finish();
  if (isReported) await parts.steps.finish();
  const isSuperseded = ending === 'superseded' || (!isReported && (await hasNewRun(client, run)));
  // An allocation that was requeued starts again: what this runner held is for its next one, as that of a runner that is gone.
  const goesOn = jobs.hasKept && !isSuperseded;
  if (isReported && !isSuperseded && !goesOn)
    await actions.end({
      ofJobs: ending !== 'stopped' && ending !== 'canceled',
      leavesJobs: ending === 'stuck' || ending === 'idle' || ending === 'deadline',
    });
  if (isReported) await parts.crate?.end({ isComplete: ending === 'complete' });
  await endLeftoverProcesses(registered.own, log);
  const seconds = (performance.now() - parts.startedAt) / 1000;
  await monitor.draw();
  await reportCutOutput(client, registered, parts.disk, isReported);
  const left = isReported ? await reportUnclaimedJobs(client, registered, { ending, reason: why }) : undefined;
  if (isReported || isSuperseded) drain.forget();
  else drain.keep();
  // A superseded runner too: its jobs have ended, and only this reports it. Jobs of the new run wait for that.
  if (goesOn) await parts.record.becomes('pending', log);
  else if (isReported || isSuperseded) {
    await deregister(parts.patient, registered, seconds, seen);
    await parts.record.becomes('complete', log);
  }

  const { tally } = jobs;
  log.write('info', 'Job runner finished', {
    workflow_id: workflowId,
    ending,
    reason: left === undefined ? why : [why, left.words].filter((part) => part !== undefined).join('; '),
    had_failures: tally.failed > 0,
    had_terminations: tally.terminated > 0,
    ...tally,
  });
  // Results of a superseded run are useless; unreported results are for the next runner of this host.
  ledger.close({ remove: (isReported || isSuperseded) && !goesOn });
  return {
    ending,
    reason: why,
    left,
    nodeId,
    runId,
    tally,
    swept: parts.sweep?.swept ?? { files: 0, bytes: 0, kept: 0 },
    overMemory: { jobs: jobs.overMemory.jobs, named: jobs.overMemory.named },
    repeated: jobs.repeated,
    counts: conversation.counts,
    countsAtStart: conversation.countsAtStart,
    seconds,
    isReported,
    journal: parts.journal.written,
    launcher: parts.steps.name,
    logPath: registered.logPath,
  };
}

/**
 * The timeout for reading the current run from the server; a server that is away must not delay the end of a runner.
 */
const ASK_MS = 5_000;

/** Whether the workflow began a new run while this runner ended. Then the server refuses its reports. */
async function hasNewRun(client: Client, { workflowId, runId }: Registered['run']): Promise<boolean> {
  const late = new Promise<undefined>((resolve) => void setTimeout(() => resolve(undefined), ASK_MS).unref());
  try {
    const workflow = await Promise.race([client.getWorkflow({ params: { id: workflowId } }), late]);
    return workflow !== undefined && workflow.run_id !== runId;
  } catch {
    return false;
  }
}

async function deregister(
  client: Client,
  { nodeId, node, run }: Registered,
  seconds: number,
  seen: NodeSummary | undefined,
): Promise<void> {
  try {
    await client.updateComputeNode({
      params: { id: nodeId },
      // Torc's own server requires the whole record in every update.
      body: { ...node, is_active: false, duration_seconds: seconds, ...seen },
    });
  } catch (error) {
    run.log.write('warn', 'The runner could not be deregistered', { reason: (error as Error).message });
  }
}
