import type { Completion } from '../core/contract/exchange.ts';
import type { Crew } from './crew.ts';
import type { Journal } from './journal/journal.ts';
import type { Log } from './log.ts';
import type { Meaning } from './meaning.ts';
import type { Outbox } from './outbox.ts';

export interface DrainOptions {
  readonly crew: Crew;
  readonly outbox: Outbox;
  /** Holds what the server was never told. */
  readonly journal: Journal;
  /** Holds what it was told before, where it came back without knowing. */
  readonly toldJournal: Journal;
  /** Every end of this runner so far. */
  readonly allEnds: () => Iterable<Completion>;
  /** May jobs be started again, when the server is back? */
  readonly mayGoOn: () => boolean;
  /** The command that tells the server what is in the journal. */
  readonly reconcile: string;
  readonly log: Log;
}

/**
 * What a runner does in an outage: nothing new starts, jobs that run go on to their ends, and each end is written into
 * the journal, where `reconcile` finds it if the runner is gone before the server is back.
 *
 * The journal is beside the ledger and not in its place. The ledger has every start and end from the first job on, for the
 * next runner of this host; the journal only what is untold in an outage, for whoever reconciles, from anywhere. What both
 * tell is taken in once: the service knows an end that it hears for the second time.
 */
export interface Drain {
  begin(meaning: Meaning): void;
  /** Jobs ended: their ends are in the outbox. */
  ended(): void;
  /** The server is back. */
  end(): void;
  /** An exchange went well: what is in the journal may be known to the server by now. */
  told(): void;
  /** The runner ends: writes down what is untold, whatever the state, and says what to do about it. */
  keep(): void;
  /** The server knows everything. */
  forget(): void;
}

/** Ends that come in a row are written together. */
const GATHER_MS = 100;

export function createDrain(options: DrainOptions): Drain {
  const { crew, outbox, journal, toldJournal, allEnds, mayGoOn, reconcile, log } = options;
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

  const writeUntold = () => {
    clearTimeout(timer);
    timer = undefined;
    const untold = outbox.untold();
    if (untold.length > 0) write(journal, untold);
  };

  const forget = () => {
    journal.remove();
    toldJournal.remove();
  };

  return {
    begin({ kind, reason }) {
      isOn = true;
      // Claimed and not begun: told to the server when it is back, so that others may have them.
      crew.dismiss();
      log.write(
        'warn',
        kind === 'behind'
          ? "The server's database is older than what it told before, or another one; nothing new is started, what runs is let finish"
          : 'Server is away; nothing new is started, what runs is let finish',
        { reason, running: crew.running },
      );
      writeUntold();
      if (kind === 'behind') write(toldJournal, allEnds());
    },
    ended() {
      if (!isOn) return;
      if (crew.running === 0) writeUntold();
      else timer ??= setTimeout(writeUntold, GATHER_MS);
    },
    end() {
      isOn = false;
      clearTimeout(timer);
      timer = undefined;
      if (mayGoOn()) crew.reopen();
    },
    told() {
      if (isOn || journal.written === undefined || outbox.untold().length > 0) return;
      log.write('info', 'The server knows what was kept in the offline journal', {
        completions: journal.written.completions,
      });
      forget();
    },
    keep() {
      writeUntold();
      for (const { written } of [journal, toldJournal]) {
        if (written === undefined) continue;
        log.write('warn', `The server may not know results of this runner. When it is back: ${reconcile}`, {
          completions: written.completions,
          journal: written.path,
        });
      }
    },
    forget,
  };
}
