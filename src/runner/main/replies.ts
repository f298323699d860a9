import type { ExchangeReply } from '../../core/contract/exchange.ts';
import type { CancelUnneeded } from '../actions/unneeded.ts';
import type { IdlePolicy } from '../claim/idle-policy.ts';
import type { HeldJobs } from '../held/held-jobs.ts';
import type { Termination } from '../held/signals.ts';
import type { Stop } from '../held/stop.ts';
import type { RunnerOptions } from '../facts/options.ts';
import type { Drain } from '../outage/drain.ts';
import type { RunEnds } from './run-end.ts';
import type { Conversation, ConverseOptions } from '../report/conversation/converse.ts';

export interface RepliesOptions {
  readonly options: Pick<RunnerOptions, 'offline' | 'onProgress'>;
  readonly jobs: HeldJobs;
  readonly stop: Stop;
  readonly drain: Drain;
  readonly actions: { consider(due: readonly number[]): void };
  readonly ends: Pick<RunEnds, 'because'>;
  readonly cancelUnneeded: CancelUnneeded | undefined;
  readonly termination: Termination;
  /** Ends the runner's own scripts within this many milliseconds. */
  readonly limitScripts: (ms: number) => void;
  readonly conversation: () => Conversation;
  readonly idlePolicy: () => IdlePolicy;
}

/** What a runner does when the server replies, is away, is back, or when there is nothing left to say. */
export function createReplies(
  given: RepliesOptions,
): Pick<ConverseOptions, 'onReply' | 'onOffline' | 'onOnline' | 'onOver'> {
  const { options, jobs, stop, drain, actions, ends } = given;
  return {
    onReply(reply: ExchangeReply) {
      drain.reported();
      options.onProgress?.({
        counts: reply.jobs_by_status,
        runningHere: jobs.running,
        endsPerSecond: given.conversation().rate,
      });
      if (reply.end_attempts) jobs.cancel(reply.end_attempts, given.termination);
      if (reply.due_actions) actions.consider(reply.due_actions);
      if (reply.has_unneeded_allocations === true) void given.cancelUnneeded?.();
      if (!stop.began) given.idlePolicy().consider(reply);
    },
    onOffline(failure) {
      if (options.offline.isEnabled) drain.begin(failure);
      if (!options.offline.isEnabled || jobs.running === 0) given.conversation().giveUp();
    },
    onOnline: () => drain.end(),
    onOver(over) {
      ends.because({ ending: over.kind, ...('reason' in over ? { reason: over.reason } : {}) });
      if (over.kind !== 'unreachable' && over.kind !== 'behind') {
        if (over.kind !== 'complete' && over.kind !== 'chosen')
          given.limitScripts(given.termination.leadSeconds * 1000);
        stop.ask('cancel');
      } else if (options.offline.isEnabled) stop.drain();
      else stop.kill('stop');
    },
  };
}
