import { behind, type ExchangeFailure } from '../failed-exchange.ts';
import { nextExchange } from '../../facts/pace.ts';
import { patienceEnded, serverAnswered, serverFailed } from './outage.ts';
import type { Over } from '../../facts/options.ts';
import type { ConversationState, ConversationEffect, ConversationEvent, Facts, Rules, TurnKind } from './state.ts';

/** The next state while it is computed, and its effects so far. */
interface Draft {
  state: ConversationState;
  readonly effects: ConversationEffect[];
  readonly facts: Facts;
  readonly rules: Rules;
}

/** After a lost connection the runner checks the server after this time, unless the connection is back before. */
const BROKEN_LINE_MS = 1_000;
/**
 * The time for the last exchange. Entries that cannot be sent by then are left to the journal and the ledger, because
 * the runner's time may be short.
 */
const FINISH_MS = 8_000;
/** The part of it that is reserved for the last exchange if the previous one gets no reply. */
const LAST_TURN_MS = 4_000;
const FIRST_FINISH_PAUSE_MS = 50;

/**
 * The next state of a conversation after an event.
 *
 * At most one exchange is in flight. An exchange without a reply is sent again under the next number, with the list of
 * jobs that the runner holds, so that the server assigns the jobs of the lost reply again. Before that, as after every
 * lost connection, an empty exchange checks whether the database is still the same: an older one must not get the
 * runner's reports, nor assign the jobs that it holds.
 */
export function advance(
  before: ConversationState,
  event: ConversationEvent,
  facts: Facts,
  rules: Rules,
): { readonly state: ConversationState; readonly effects: readonly ConversationEffect[] } {
  const draft: Draft = { state: before, effects: [], facts, rules };
  handle(draft, event);
  return draft;
}

/** When the state changes without an event (monotonic milliseconds); Infinity if it does not. */
export function nextMoment({ phase, dueAtMs, underWay, outage, finishUntilMs }: ConversationState): number {
  if (phase === 'finished' || phase === 'over') return Infinity;
  if (phase === 'finishing') {
    if (underWay === undefined) return dueAtMs;
    return underWay.kind === 'last' ? finishUntilMs : finishUntilMs - LAST_TURN_MS;
  }
  return Math.min(dueAtMs, outage.patienceEndsAtMs, underWay?.silentAtMs ?? Infinity);
}

function handle(draft: Draft, event: ConversationEvent): void {
  switch (event.kind) {
    case 'work-may-be-ready':
      return workMayBeReady(draft, event.changeId);
    case 'must-ask':
      if ((event.changeId ?? Infinity) <= draft.state.knownChange) return undefined;
      change(draft, { mustAsk: true, workMayBeReady: true });
      return consider(draft);
    case 'jobs-ended':
      return jobsEnded(draft, event.isQuiet);
    case 'slots-freed':
      if (draft.state.readyJobs > 0) change(draft, { workMayBeReady: true });
      return consider(draft);
    case 'consider':
      return consider(draft);
    case 'connection-lost':
      change(draft, { inDoubt: true });
      if (draft.state.phase === 'open' && !isAway(draft)) scheduleIn(draft, BROKEN_LINE_MS);
      return undefined;
    case 'connected':
      change(draft, { workMayBeReady: true });
      if (draft.state.phase === 'open' && (draft.state.outage.isOffline || draft.state.inDoubt)) return begin(draft);
      return consider(draft);
    case 'answered':
      return answered(draft, event);
    case 'failed':
      return failed(draft, event);
    case 'time':
      return draft.state.phase === 'finishing' ? finishingTime(draft) : time(draft);
    case 'give-up':
      return giveUp(draft);
    case 'finish':
      return finish(draft);
  }
}

const change = (draft: Draft, part: Partial<ConversationState>): void => {
  draft.state = { ...draft.state, ...part };
};
const isAway = ({ state }: Draft): boolean => state.outage.awaySinceMs !== undefined;

function workMayBeReady(draft: Draft, changeId = Infinity): void {
  const { knownChange, underWay } = draft.state;
  if (changeId <= knownChange) return;
  // The reply in flight may include it.
  if (Number.isFinite(changeId) && underWay !== undefined) {
    change(draft, { reportedChange: changeId });
    return;
  }
  change(draft, { workMayBeReady: true });
  consider(draft);
}

function jobsEnded(draft: Draft, isQuiet: boolean): void {
  if (!isQuiet) change(draft, { workMayBeReady: true });
  const { phase, outage, underWay } = draft.state;
  if (phase !== 'open' || !outage.isOffline || draft.facts.running > 0) return consider(draft);
  // No job runs any more: if the server does not answer now either, the runner has no reason to stay.
  if (underWay === undefined) begin(draft);
  else if (draft.facts.nowMs >= underWay.silentAtMs || underWay.silentAtMs === Infinity) giveUp(draft);
  return undefined;
}

/** Checks whether an exchange is due. */
function consider(draft: Draft): void {
  const { state, facts } = draft;
  if (state.phase === 'finishing' && state.underWay === undefined && state.dueAtMs === Infinity)
    return reportTheRest(draft);
  if (state.phase !== 'open' || state.underWay !== undefined || isAway(draft)) return undefined;
  const delayMs = nextExchange({
    queued: facts.queued,
    ahead: facts.ahead,
    hasRoom: facts.hasRoom,
    slots: facts.slots,
    hasNews: state.mustAsk || facts.hasNews,
    workMayBeReady: state.workMayBeReady,
  });
  if (delayMs === undefined) return undefined;
  if (delayMs === 0) return begin(draft);
  return scheduleIn(draft, delayMs);
}

function scheduleIn(draft: Draft, delayMs: number): void {
  change(draft, { dueAtMs: Math.min(draft.state.dueAtMs, draft.facts.nowMs + delayMs) });
}

function begin(draft: Draft): void {
  change(draft, { dueAtMs: Infinity });
  const { underWay, inDoubt, lostAnswer, pendingJobs } = draft.state;
  if (underWay !== undefined) return;
  if (isAway(draft) || inDoubt) {
    send(draft, 'probe', false);
    return;
  }
  // A runner without jobs reports this while jobs are pending anywhere: some may be pending in its name.
  const isIdle = draft.facts.queued + draft.facts.running === 0;
  const reportsHeld = lostAnswer || (isIdle && pendingJobs > 0);
  change(draft, { workMayBeReady: false, mustAsk: false });
  send(draft, 'usual', reportsHeld);
}

function send(draft: Draft, kind: TurnKind, reportsHeld: boolean): void {
  const number = draft.state.lastTurn + 1;
  const silentAtMs = draft.facts.nowMs + draft.rules.silentMs;
  change(draft, { lastTurn: number, underWay: { number, kind, silentAtMs } });
  draft.effects.push({ kind: 'send', number, turn: kind, reportsHeld });
}

function answered(draft: Draft, { number, reply }: Extract<ConversationEvent, { kind: 'answered' }>): void {
  const { underWay, knownChange, phase } = draft.state;
  if (underWay?.number !== number) return;
  change(draft, { underWay: undefined });
  const { kind } = underWay;
  if (typeof reply.change_id !== 'number')
    return lost(draft, kind, { kind: 'away', reason: 'the reply does not come from a torc server' }, false);
  if (reply.change_id < knownChange)
    return lost(draft, kind, behind(reply.change_id, { runId: draft.rules.runId, changeId: knownChange }), false);

  const back = serverAnswered(draft.state.outage, draft.facts.nowMs);
  for (const each of back.effects) draft.effects.push(each);
  const { pending, ready } = reply.jobs_by_status;
  change(draft, { outage: back.outage, inDoubt: false, pendingJobs: pending, readyJobs: ready });
  if (kind === 'probe') {
    change(draft, { workMayBeReady: true });
  } else {
    const isNewer = draft.state.reportedChange > reply.change_id;
    change(draft, { lostAnswer: false, knownChange: reply.change_id, ...(isNewer ? { workMayBeReady: true } : {}) });
  }
  draft.effects.push({ kind: 'accept', reply, turn: kind });
  if (phase !== 'open') return undefined;
  if (reply.is_deregistered === true)
    return over(draft, { kind: 'superseded', reason: 'its compute node was deregistered or reported lost' });
  if (reply.is_canceled) return over(draft, { kind: 'canceled' });
  if (reply.is_complete && !draft.rules.staysWhenComplete) return over(draft, { kind: 'complete' });
  // Another choice may have named a job that still runs here.
  if (reply.choice_state === 'complete' && draft.facts.queued + draft.facts.running === 0)
    return over(draft, { kind: 'chosen' });
  return undefined;
}

function failed(draft: Draft, { number, failure, isRefused }: Extract<ConversationEvent, { kind: 'failed' }>): void {
  const { underWay } = draft.state;
  if (underWay?.number !== number) return;
  change(draft, { underWay: undefined });
  lost(draft, underWay.kind, failure, isRefused);
}

/** The exchange got no usable reply: it is unknown whether it was executed. */
function lost(draft: Draft, kind: TurnKind, failure: ExchangeFailure, isRefused: boolean): void {
  if (kind !== 'probe') draft.effects.push({ kind: 'put-back' });
  change(draft, { lostAnswer: true, workMayBeReady: true });
  if (draft.state.phase === 'finishing') return isRefused ? finished(draft, false) : finishLater(draft);
  if (failure.kind === 'superseded') return over(draft, { kind: 'superseded', reason: failure.reason });
  return away(draft, failure);
}

function away(draft: Draft, failure: ExchangeFailure): void {
  if (draft.state.phase !== 'open') return;
  const step = serverFailed(draft.state.outage, failure, draft.facts.nowMs, draft.rules);
  for (const each of step.effects) draft.effects.push(each);
  change(draft, { outage: step.outage });
  if (step.outage.isOffline && draft.facts.running === 0) giveUp(draft);
  else scheduleIn(draft, step.pauseMs);
}

function giveUp(draft: Draft): void {
  const { kind, reason } = draft.state.outage.failure;
  over(draft, { kind: kind === 'behind' ? 'behind' : 'unreachable', reason });
}

function over(draft: Draft, reason: Over): void {
  if (draft.state.phase !== 'open') return;
  change(draft, { phase: 'over', dueAtMs: Infinity });
  draft.effects.push({ kind: 'over', over: reason });
}

function time(draft: Draft): void {
  const { facts, rules } = draft;
  const { underWay, outage } = draft.state;
  if (draft.state.phase !== 'open') return;
  if (underWay !== undefined && facts.nowMs >= underWay.silentAtMs) {
    // Its reply is still awaited: a slow server must not get the same request twice.
    change(draft, { underWay: { ...underWay, silentAtMs: Infinity } });
    away(draft, { kind: 'away', reason: `no reply for ${rules.silentMs / 1000} s` });
  }
  if (facts.nowMs >= outage.patienceEndsAtMs) {
    const step = patienceEnded(draft.state.outage);
    for (const each of step.effects) draft.effects.push(each);
    change(draft, { outage: step.outage });
  }
  if (facts.nowMs >= draft.state.dueAtMs) begin(draft);
}

function finish(draft: Draft): void {
  const { phase, outage, underWay } = draft.state;
  if (phase === 'finishing' || phase === 'finished') return;
  change(draft, {
    phase: 'finishing',
    dueAtMs: Infinity,
    finishUntilMs: draft.facts.nowMs + FINISH_MS,
    finishPauseMs: FIRST_FINISH_PAUSE_MS,
  });
  if (outage.isOffline) finished(draft, false);
  else if (underWay === undefined) reportTheRest(draft);
}

/**
 * Sends the remaining entries; jobs that a lost reply made pending in the name of the runner are returned with them.
 */
function reportTheRest(draft: Draft): void {
  if (draft.facts.hasNews || draft.state.lostAnswer) send(draft, 'last', true);
  else finished(draft, true);
}

function finishingTime(draft: Draft): void {
  const { underWay, finishUntilMs, dueAtMs } = draft.state;
  const { nowMs } = draft.facts;
  if (underWay === undefined) {
    if (nowMs < dueAtMs) return;
    change(draft, { dueAtMs: Infinity });
    reportTheRest(draft);
  } else if (underWay.kind === 'last') {
    if (nowMs < finishUntilMs) return;
    draft.effects.push({ kind: 'put-back' });
    finished(draft, false);
  } else if (nowMs >= finishUntilMs - LAST_TURN_MS) {
    // If it is still executed, this happens before the last exchange, or it is refused after it.
    if (underWay.kind === 'usual') draft.effects.push({ kind: 'put-back' });
    change(draft, { underWay: undefined, lostAnswer: true });
    send(draft, 'last', true);
  }
}

function finishLater(draft: Draft): void {
  const { finishPauseMs, finishUntilMs } = draft.state;
  const { nowMs } = draft.facts;
  if (nowMs + finishPauseMs >= finishUntilMs) finished(draft, false);
  else change(draft, { dueAtMs: nowMs + finishPauseMs, finishPauseMs: finishPauseMs * 2 });
}

function finished(draft: Draft, isReported: boolean): void {
  change(draft, { phase: 'finished', underWay: undefined, dueAtMs: Infinity });
  draft.effects.push({ kind: 'finished', isReported });
}
