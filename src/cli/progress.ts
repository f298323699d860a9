import { after, type Timer } from '../client/long-timers.ts';
import type { JobStatusCounts } from '../core/contract/job.ts';
import { grouped } from '../core/quantity/count-text.ts';
import type { Progress } from '../runner/facts/options.ts';
import type { Output } from './output/output.ts';
import { secondsText } from './output/words.ts';

/** Shows the progress of a run: one line that changes on a terminal, a plain line now and then elsewhere. */
export interface ProgressLine {
  update(progress: Progress): void;
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
/** The period over which the rate is smoothed: long enough to be readable, short enough to follow a change. */
const SMOOTH_MS = 5_000;

/** Fewer ends say nothing about the next ones. */
const LEAST_ENDS = 10;
/** So many ends overdue: the jobs that run now take longer than those before. */
const MOST_OVERDUE = 3;

/** The rate, ends per second, from which a time left can be concluded; otherwise 0. */
export const reliableRate = (rate: number, ended: number, secondsSinceEnd: number): number =>
  ended >= LEAST_ENDS && secondsSinceEnd * rate <= MOST_OVERDUE ? rate : 0;

interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export function createProgressLine(output: Output, terminal: Terminal, now: () => number): ProgressLine {
  const isLive = terminal.isTTY === true;
  const startMs = now();
  let latest: Progress | undefined;
  let rate = 0;
  let ratedMs = startMs;
  let ratedDone: number | undefined;
  let firstDone = 0;
  let lastEndMs = startMs;

  const smooth = ({ counts }: Progress) => {
    const nowMs = now();
    const ended = doneOf(counts);
    if (ratedDone === undefined) firstDone = ended;
    ratedDone ??= ended;
    if (ended > ratedDone) lastEndMs = nowMs;
    const elapsed = nowMs - ratedMs;
    if (elapsed < REDRAW_MS) return;
    const weight = Math.exp(-elapsed / SMOOTH_MS);
    const current = ((ended - ratedDone) * 1000) / elapsed;
    rate = rate === 0 ? current : rate * weight + current * (1 - weight);
    ratedMs = nowMs;
    ratedDone = ended;
  };

  const draw = () => {
    if (latest === undefined) return;
    smooth(latest);
    const known = reliableRate(rate, doneOf(latest.counts) - firstDone, (now() - lastEndMs) / 1000);
    const text = progressText(latest, known, (now() - startMs) / 1000);
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
    say(text) {
      clear();
      output.notice(text);
    },
    clear,
    close() {
      timer?.cancel();
      clear();
    },
  };
}

const doneOf = ({ completed, failed, canceled, terminated }: JobStatusCounts) =>
  completed + failed + canceled + terminated;

/** `1,204 done · 2 running · 3 failed · 8,793 left · 1,480/s · 6.0s to go`. */
export function progressText({ counts }: Progress, rate: number, elapsedSeconds: number): string {
  const bad = counts.failed + counts.terminated;
  const left = counts.ready + counts.pending + counts.blocked + counts.uninitialized + counts.pending_failed;
  const open = left + counts.running;
  return [
    `${grouped(counts.completed)} done`,
    `${grouped(counts.running)} running`,
    ...(bad > 0 ? [`${grouped(bad)} failed`] : []),
    ...(counts.canceled > 0 ? [`${grouped(counts.canceled)} canceled`] : []),
    `${grouped(left)} left`,
    ...(rate >= 0.05 ? [`${rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate))}/s`] : []),
    ...(rate >= 0.05 && open > 0 ? [`${secondsText(open / rate)} to go`] : []),
    `${secondsText(elapsedSeconds)} so far`,
  ].join(' · ');
}
