import { after, type Timer } from '../../client/long-timers.ts';
import { timeText } from '../../core/quantity/time-text.ts';
import { firstPace, nextPace, type Pace, progressText, rateOf } from '../../core/lifecycle/explain/pace.ts';
import type { Progress } from '../../runner/facts/options.ts';
import type { Output } from '../output/output.ts';

/** Shows the progress of a run: one line that changes on a terminal, a plain line now and then elsewhere. */
export interface ProgressLine {
  update(progress: Progress): void;
  /** Why it waits for other runs; undefined: it does not. */
  waits(words: string | undefined): void;
  /** Prints a message between two states of the line. */
  say(text: string): void;
  /** Takes the line away, for something else that is printed in its place. */
  clear(): void;
  close(): void;
}

const REDRAW_MS = 100;
/** Without news only the time is updated. */
const IDLE_REDRAW_MS = 1_000;
const PLAIN_MS = 30_000;

interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export function createProgressLine(output: Output, terminal: Terminal, now: () => number): ProgressLine {
  const isLive = terminal.isTTY === true && !output.isQuiet;
  const startMs = now();
  let latest: Progress | undefined;
  let pace: Pace | undefined;
  let waiting: string | undefined;
  let hasSaid = false;

  const draw = () => {
    if (latest === undefined) return;
    const { counts } = latest;
    pace = pace === undefined ? firstPace(counts, now()) : nextPace(pace, counts, now());
    const text = `${progressText(counts, rateOf(pace, now()))} · ${timeText((now() - startMs) / 1000)} so far${waiting === undefined ? '' : ` · ${waiting}`}`;
    if (isLive) terminal.write(`\r\u001b[2K${output.terminalText('dim', text.slice(0, (terminal.columns || 80) - 1))}`);
    else output.notice(text);
  };
  const clear = () => {
    if (isLive && latest !== undefined) terminal.write('\r\u001b[2K');
  };

  let timer: Timer | undefined;
  let isSoon = false;
  const drawIn = (ms: number) => {
    timer?.cancel();
    isSoon = ms === REDRAW_MS;
    timer = after(ms, () => {
      draw();
      drawIn(isLive ? IDLE_REDRAW_MS : PLAIN_MS);
    }).unref();
  };
  drawIn(isLive ? REDRAW_MS : PLAIN_MS);
  return {
    update(progress) {
      latest = progress;
      if (isLive && !isSoon) drawIn(REDRAW_MS);
    },
    waits(words) {
      waiting = words;
      // Once: a run may wait again after each job.
      if (words === undefined || hasSaid) return;
      hasSaid = true;
      clear();
      output.notice(words);
    },
    say(text) {
      clear();
      output.detail(text);
    },
    clear,
    close() {
      timer?.cancel();
      clear();
    },
  };
}
