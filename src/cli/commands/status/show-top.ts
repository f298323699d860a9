import { createClient } from '../../../client/client.ts';
import { ServiceError, Unreachable } from '../../../client/errors.ts';
import { after } from '../../../client/long-timers.ts';
import { isSuccess } from '../../../operations/report/views/status.ts';
import { openTop, type TopFacts } from '../../../operations/report/facts/top.ts';
import { topRecord } from '../../../operations/report/views/top.ts';
import type { Context } from '../../command/context.ts';
import { exitCodes, type EndingSignal } from '../../terminal/held-signals.ts';
import { createLivePicture, sizeOf } from './live-picture.ts';
import { type PictureLine, topPicture } from './top-picture.ts';

export interface ShowTopOptions {
  readonly once: boolean;
  /** Seconds between two looks; undefined for 2 on a terminal and 5 elsewhere. */
  readonly intervalSeconds: number | undefined;
}

const TERMINAL_SECONDS = 2;
/** A file or a log keeps every picture. */
const PLAIN_SECONDS = 5;

/**
 * Shows a workflow until it ends: on a terminal in one place, elsewhere a picture or a line of JSON after each change.
 *
 * A server that does not answer is asked again. The exit code is 0 if all jobs completed.
 */
export async function showTop(context: Context, id: number, { once, intervalSeconds }: ShowTopOptions): Promise<void> {
  const { output, environment, hint, service, exitWith } = context;
  output.recordOnly('top');
  const { connection } = await service();
  // A client that waits for a server which is away would keep the picture from saying so.
  const client = createClient(connection.send);
  const top = openTop({ client, workflowId: id, environment, now: Date.now });
  const isJson = output.format === 'json';
  const isLive = !isJson && !once && process.stdout.isTTY === true && environment['TERM'] !== 'dumb';
  const picture = createLivePicture(output, process.stdout);
  let latest: TopFacts | undefined;
  let shown = '';
  let isAway = false;

  const draw = (note: readonly PictureLine[] = []) => {
    if (latest !== undefined) picture.draw([...note, ...topPicture(latest, hint, sizeOf(process.stdout))]);
    else if (note.length > 0) picture.draw(note);
  };
  const show = (facts: TopFacts) => {
    latest = facts;
    if (isLive) return draw();
    const key = changesOf(facts);
    if (key === shown) return;
    shown = key;
    if (isJson) return output.jsonLine(topRecord(facts, hint));
    const size = process.stdout.isTTY === true ? sizeOf(process.stdout) : { width: 120, height: 60 };
    output.text([...topPicture(facts, hint, size).map(({ text }) => text), ...(once ? [] : [''])].join('\n'));
  };
  const lost = (error: unknown) => {
    const words = `${(error as Error).message}; trying again`;
    if (isLive) draw([{ text: words, style: 'yellow' }]);
    else if (!isAway) output.warn(words);
    isAway = true;
  };

  const stop = stopping();
  const anew = () => {
    picture.forget();
    draw();
  };
  const resized = () => {
    // Lines of another width stand elsewhere now.
    process.stdout.write('\u001b[H\u001b[J');
    anew();
  };
  if (isLive) process.on('SIGCONT', anew).stdout.on('resize', resized);
  const seconds = intervalSeconds ?? (isLive || isJson ? TERMINAL_SECONDS : PLAIN_SECONDS);
  try {
    for (;;) {
      const look = await Promise.race([top.look().catch(away), stop.asked]);
      if (typeof look === 'string') return exitWith(exitCodes[look]);
      if (look instanceof Error) {
        if (once) throw look;
        lost(look);
      } else {
        if (isAway && !isLive) output.notice('the server answers again');
        isAway = false;
        show(look);
        if (once) return;
        if (look.status.is_complete) return exitWith(isSuccess(look.status) ? 0 : 1);
      }
      const signal = await Promise.race([pauseOf(seconds), stop.asked]);
      if (signal !== undefined) return exitWith(exitCodes[signal]);
    }
  } finally {
    stop.close();
    process.off('SIGCONT', anew).stdout.off('resize', resized);
    top.close();
  }
}

/** What a picture in a file shows anew; times and measurements alone are no reason for another one. */
const changesOf = ({ status, running }: TopFacts): string =>
  JSON.stringify([status.jobs_by_status, status.active_compute_nodes, status.is_complete, running.map(({ id }) => id)]);

/** A server that is away or starting; other errors remain, however often they are repeated. */
function away(error: unknown): Error {
  if (error instanceof Unreachable || (error instanceof ServiceError && error.status >= 500)) return error;
  throw error;
}

const pauseOf = (seconds: number) =>
  new Promise<undefined>((resolve) => void after(seconds * 1000, () => resolve(undefined)));

/** Resolves with the signal that ends this program. */
function stopping(): { readonly asked: Promise<EndingSignal>; close(): void } {
  let onSignal: (signal: NodeJS.Signals) => void = () => {};
  const asked = new Promise<EndingSignal>((resolve) => {
    onSignal = (signal) => resolve(signal as EndingSignal);
  });
  const signals = Object.keys(exitCodes) as EndingSignal[];
  for (const signal of signals) process.on(signal, onSignal);
  return {
    asked,
    close() {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
