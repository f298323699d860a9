import { after, repeatEvery, type Timer } from '../../client/long-timers.ts';
import { waitingWordsOf } from '../../cluster/share/holders.ts';
import { leftBy, withoutGone } from '../../cluster/share/left-jobs.ts';
import { isFileBusy, type ShareFile } from '../../cluster/share/share-file.ts';
import { machineNow } from '../../cluster/host/machine.ts';
import type { Amounts } from '../../core/job/amounts.ts';
import { fitsIn, isAtLeast, limitNameOf, withAdded } from '../../core/lifecycle/share/amounts.ts';
import {
  askFor,
  giveBack,
  holdInUse,
  isAnyWaiting,
  type OwnUse,
  sharedAt,
  waitFor,
} from '../../core/lifecycle/share/ask.ts';
import { mayKeep, mayTake, nextTurnAtMs } from '../../core/lifecycle/share/fair-share.ts';
import type { RunShareOptions, ShareListener } from './sharing-parts.ts';
import { type SharingRun, totalBeside } from '../../core/lifecycle/share/sharing-run.ts';

/**
 * How often a run that waits looks whether another was killed, which changes no file. What others give back it learns at once. Too
 * rare, and CPUs are idle that long; each time costs 0.1 ms.
 */
const LOOK_MS = 250;
/** How long what a run does not use stays with it while others wait: its next job may just be on its way from the server. */
const UNUSED_MS = 20;
const SAID_MS = 1_000;
/** How often it is looked whether the folder of the file is still there. */
const CHECK_MS = 60_000;
/** What others are to get is reckoned again after this time at least: it changes with time, and a job may take a millisecond. */
const RECKON_MS = 10;

export type RunShare = ReturnType<typeof createRunShare>;

/**
 * The part of a machine that a run has, beside other runs of the same user.
 *
 * While no other run waits, it has all that is free, and a job that starts or ends touches no file. When another one waits, it gives
 * back what it does not use, and, as its jobs end, what the other is to get.
 */
export function createRunShare(options: RunShareOptions) {
  const { open, own, here, offer, devices, usedDevices, onAlone } = options;
  let file: ShareFile | undefined;
  let rows: SharingRun[] = [];
  let self = own;
  let total = own.total;
  let inUse: Amounts = {};
  let isAlone = false;
  let isClosed = false;
  let listener: ShareListener | undefined;
  /** The first job of this turn of the event loop that found no room. */
  let wanted: Amounts | undefined;
  let unusedTimer: Timer | undefined;
  let lookTimer: Timer | undefined;
  let checkTimer: Timer | undefined;
  let pollTimer: Timer | undefined;
  let newsTimer: Timer | undefined;
  let said: string | undefined;
  /** Something has changed that was not read. */
  let isBehind = false;
  let reckoned: { readonly atMs: number; readonly most: Amounts } | undefined;

  const use = (): OwnUse => ({
    inUse,
    usedDevices: usedDevices(),
    total,
    offer: { ...total, ...offer },
    devices,
    nowMs: machineNow(),
  });

  const stopSharing = (reason: string) => {
    if (isAlone) return;
    isAlone = true;
    disconnect();
    onAlone(reason);
    setImmediate(() => listener?.onRoom());
  };

  /** What the file says of others may be wrong from here on; a run never fails for that. */
  const guarded = <Result>(act: () => Result): Result | undefined => {
    try {
      return act();
    } catch (error) {
      if (!isFileBusy(error)) stopSharing(`${file?.path ?? 'its file'}: ${(error as Error).message}`);
      return undefined;
    }
  };

  const connect = (): ShareFile | undefined => {
    if (file !== undefined || isAlone || isClosed) return file;
    const opened = open();
    if (typeof opened === 'string') {
      stopSharing(opened);
      return undefined;
    }
    file = opened;
    if (!opened.watch(() => guarded(news))) pollTimer ??= repeatEvery(LOOK_MS, () => guarded(news)).unref();
    checkTimer ??= repeatEvery(CHECK_MS, () => guarded(check)).unref();
    return file;
  };

  /** The folder of a session goes with the session; a run that goes on after it shares with those that come later. */
  const check = () => {
    if (file === undefined || file.isCurrent()) return;
    file.close();
    file = undefined;
    change((all) => ({ runs: [...all, self], result: true }));
  };

  const keep = (all: readonly SharingRun[]) => {
    rows = [...all];
    total = totalBeside(own, othersIn(rows));
    self = rows.find(({ id }) => id === own.id) ?? { ...own, lag: self.lag };
    reckoned = undefined;
    follow();
  };

  /** One step in the file: undefined if another process has it just now. */
  const change = <Result>(
    decide: (all: readonly SharingRun[]) => { readonly runs: readonly SharingRun[]; readonly result: Result },
  ): Result | undefined =>
    guarded(() => {
      const at = connect();
      if (at === undefined) return undefined;
      const left = leftBy(othersIn(at.read()), here);
      const changed = at.change((all) => {
        total = totalBeside(own, othersIn(all));
        const decided = decide(withoutGone(all, left));
        return { ...decided, result: { ...decided } };
      });
      keep(changed.runs);
      return changed.result;
    });
  const othersIn = (all: readonly SharingRun[]) => all.filter(({ of, id }) => of === own.of && id !== own.id);

  const present = () => sharedAt(rows, self, { total, devices, nowMs: machineNow() });
  const isContended = () => isAnyWaiting(othersIn(rows));

  /** What its jobs may use now, without a change of the file. */
  const most = (): Amounts => {
    if (!isContended()) return self.holds;
    const nowMs = machineNow();
    if (reckoned === undefined || nowMs - reckoned.atMs >= RECKON_MS) {
      const { others, self: me } = present();
      reckoned = { atMs: nowMs, most: mayKeep([...others, me], total, own.id) };
    }
    return reckoned.most;
  };

  const returnUnused = (isAll: boolean) => {
    const least = isAll ? {} : most();
    const hasMore = Object.keys(total).some(
      (name) => (self.holds[name] ?? 0) > Math.max(inUse[name] ?? 0, least[name] ?? 0),
    );
    if (hasMore) change((all) => ({ runs: giveBack(all, self, isAll, use()), result: true }));
  };

  /** Another run has changed the file. */
  const news = () => {
    if (file === undefined || (!file.hasChanged() && !isBehind)) return;
    isBehind = true;
    const found = guarded(file.read);
    if (found === undefined) {
      newsTimer ??= after(UNUSED_MS, () => {
        newsTimer = undefined;
        guarded(news);
      }).unref();
      return;
    }
    isBehind = false;
    keep(found);
    if (!fitsIn(inUse, self.holds, total)) change((all) => ({ runs: holdInUse(all, self, use()), result: true }));
    look();
  };

  const look = () => {
    if (isContended()) returnUnused(true);
    if (self.waits === undefined) return;
    const jobs = listener?.queued() ?? 0;
    if (jobs === 0) {
      change((all) => ({ runs: waitFor(all, self, undefined, use()), result: true }));
      return;
    }
    if (jobs !== self.waits.jobs) publish(self.waits.need, jobs);
    const { others, self: me } = present();
    if (me.waits !== undefined && mayTake([...others, { ...me, holds: inUse }], total, own.id, me.waits.need))
      listener?.onRoom();
  };

  const say = (words: string | undefined) => {
    if (words === said) return;
    said = words;
    listener?.onWaits(words);
  };

  const lookAtOthers = () => {
    // A wait that a person would not notice is not worth a line.
    if (self.waits !== undefined && machineNow() - self.waits.sinceMs >= SAID_MS) say(waitingWordsOf(self, rows));
    const others = othersIn(rows);
    if (leftBy(others, here).size > 0) change((all) => ({ runs: all, result: true }));
    look();
  };

  /** Looks again while this run waits, at the latest when it is its turn. */
  const follow = () => {
    lookTimer?.cancel();
    lookTimer = undefined;
    if (self.waits === undefined || isClosed || isAlone) return say(undefined);
    const { others, self: me } = present();
    const turnMs = (nextTurnAtMs([...others, me], total, own.id) ?? Infinity) - machineNow();
    lookTimer = after(Math.max(1, Math.min(LOOK_MS, turnMs)), () => {
      lookTimer = undefined;
      guarded(lookAtOthers);
      if (lookTimer === undefined) follow();
    }).unref();
  };

  const publish = (need: Amounts, jobs: number) =>
    change((all) => ({ runs: waitFor(all, self, { need, jobs }, use()), result: true }));

  const waitsFor = (need: Amounts) => {
    if (wanted !== undefined) return;
    wanted = need;
    // When all jobs that fit have started: the first of the others stands for them.
    queueMicrotask(() => {
      wanted = undefined;
      const jobs = Math.max(1, listener?.queued() ?? 1);
      const { waits } = self;
      if (isAlone || isClosed || (waits !== undefined && isAtLeast(waits.need, need) && isAtLeast(need, waits.need)))
        return;
      // Another process has the file just now.
      if (publish(need, jobs) === undefined) unusedTimer = after(LOOK_MS, () => listener?.onRoom()).unref();
    });
  };

  const disconnect = () => {
    for (const timer of [unusedTimer, lookTimer, checkTimer, pollTimer, newsTimer]) timer?.cancel();
    file?.close();
    file = undefined;
  };

  return {
    /** The devices that its jobs may get. */
    get devices(): readonly string[] {
      return isAlone ? devices : self.devices;
    },
    begin(given: ShareListener) {
      listener = given;
    },
    /** Takes this for a job, if the run may. */
    take(need: Amounts): boolean {
      // A smaller one has found no room in this turn.
      if (wanted !== undefined && isAtLeast(need, wanted)) return false;
      // Other runs may have limits that this one was not given.
      const isNew = file === undefined && Object.keys(need).some((name) => limitNameOf(name) !== undefined);
      if (!isAlone && (isNew || !fitsIn(withAdded(inUse, need), most(), total))) {
        const { others, self: me } = present();
        const isHopeless = file !== undefined && !mayTake([...others, { ...me, holds: inUse }], total, own.id, need);
        const isGranted = isHopeless
          ? false
          : change((all) => {
              const { runs, isGranted: result } = askFor(all, self, need, use());
              return { runs, result };
            });
        if (isGranted !== true && !isAlone) {
          waitsFor(need);
          return false;
        }
      }
      inUse = withAdded(inUse, need);
      return true;
    },
    /** A job has ended. */
    release(need: Amounts) {
      inUse = withAdded(inUse, need, -1);
      if (isAlone || !isContended()) return;
      guarded(() => returnUnused(false));
      unusedTimer?.cancel();
      unusedTimer = after(UNUSED_MS, () => void guarded(() => isContended() && returnUnused(true))).unref();
    },
    /** The run is over. */
    close() {
      if (isClosed) return;
      isClosed = true;
      guarded(() => file?.change((all) => ({ runs: all.filter(({ id }) => id !== own.id), result: true })));
      disconnect();
    },
  };
}
