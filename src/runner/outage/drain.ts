import type { Completion } from '../../core/contract/exchange.ts';
import type { HeldJobs } from '../held/held-jobs.ts';
import type { CurrentRun } from '../ledger/current-run.ts';
import type { Journal } from './journal/journal.ts';
import type { ExchangeFailure } from '../report/failed-exchange.ts';

export interface DrainOptions {
  readonly jobs: HeldJobs;
  readonly run: Pick<CurrentRun, 'outbox' | 'log'>;
  /** Contains the results that were never reported. */
  readonly journal: Journal;
  /** Contains the results that were reported before, if the server came back without them. */
  readonly reportedJournal: Journal;
  /** Every end of this runner so far. */
  readonly allEnds: () => Iterable<Completion>;
  /** Whether jobs may start again when the server is back. */
  readonly mayGoOn: () => boolean;
  /** The command that sends the journal to the server. */
  readonly reconcile: string;
}

/** Ends in quick succession are written together. */
const GATHER_MS = 100;

export type Drain = ReturnType<typeof createDrain>;

/**
 * What a runner does in an outage: no job starts, running jobs continue to their ends, and each end is written into the
 * journal, which `reconcile` reads if the runner has exited before the server is back.
 *
 * The journal complements the ledger. The ledger has every start and end from the first job on, for the next runner of
 * this host; the journal has only the results that were not reported in an outage, for reconciling from anywhere. The
 * service accepts a result that both contain once.
 */
export function createDrain(options: DrainOptions) {
  const { jobs, journal, reportedJournal, allEnds, mayGoOn, reconcile } = options;
  const { outbox, log } = options.run;
  let isOn = false;
  let timer: NodeJS.Timeout | undefined;

  const write = (into: Journal, ends: Iterable<Completion>) => {
    try {
      into.write(ends);
    } catch (error) {
      log.write(
        'error',
        'Results cannot be written into the offline journal; they are kept in memory and in the ledger',
        {
          reason: (error as Error).message,
        },
      );
    }
  };

  const writeUnreported = () => {
    clearTimeout(timer);
    timer = undefined;
    const unreported = outbox.unreported();
    if (unreported.length > 0) write(journal, unreported);
  };

  const forget = () => {
    journal.remove();
    reportedJournal.remove();
  };

  return {
    begin({ kind, reason }: ExchangeFailure) {
      isOn = true;
      // Claimed and not started: reported when the server is back, so that other runners can have them.
      jobs.stopStarting();
      log.write(
        'warn',
        kind === 'behind'
          ? "The server's database is older than what it reported before, or a different one; no job starts, running jobs finish"
          : 'Server is away; no job starts, running jobs finish',
        { reason, running: jobs.running },
      );
      writeUnreported();
      if (kind === 'behind') write(reportedJournal, allEnds());
    },
    /** Jobs ended: their ends are in the outbox. */
    ended() {
      if (!isOn) return;
      if (jobs.running === 0) writeUnreported();
      else timer ??= setTimeout(writeUnreported, GATHER_MS);
    },
    /** The server is back. */
    end() {
      isOn = false;
      clearTimeout(timer);
      timer = undefined;
      if (mayGoOn()) jobs.resumeStarting();
    },
    /** An exchange succeeded: the server may know the results in the journal now. */
    reported() {
      if (isOn || journal.written === undefined || outbox.unreported().length > 0) return;
      log.write('info', 'The server knows the results in the offline journal', {
        completions: journal.written.completions,
      });
      forget();
    },
    /** The runner ends: writes unreported results in any state, and prints what to do with them. */
    keep() {
      writeUnreported();
      for (const { written } of [journal, reportedJournal]) {
        if (written === undefined) continue;
        log.write('warn', `The server may not know results of this runner. When it is back: ${reconcile}`, {
          completions: written.completions,
          journal: written.path,
        });
      }
    },
    /** The server knows everything. */
    forget,
  };
}
