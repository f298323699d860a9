import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { after, repeatEvery, type Timer } from '../client/long-timers.ts';
import type { WorkflowStatus } from '../core/contract/workflow.ts';
import { CLOSED, connection, type ConnectionState } from './connection.ts';

/** What was read last, and why the last attempt failed. */
export interface Live<T> {
  readonly value: T | undefined;
  readonly error: Error | undefined;
  /** Reads again at once. */
  readonly again: () => void;
}

/** Reads everything that is shown again, as for a page that becomes visible. */
export const readAgain = (): boolean => document.dispatchEvent(new Event('visibilitychange'));

/*
 * What is read is asked for in layout effects: other effects run after the browser has drawn, and the first drawing takes longer
 * than most replies.
 */

/** Between two readings of a page in the background, at least. */
const HIDDEN_MS = 30_000;

/** Milliseconds between two readings: another number begins anew, another function counts from the next reading on. Infinity is no other one. */
export type ReadingPace = number | (() => number);

/**
 * Reads a value now and then, as long as it is shown. `key` names what is read: another one begins anew. With `moved`, which the
 * stream of a workflow gives, it is read again when that has changed, not sooner than after `everyMs`, and else rarely.
 */
export function useLive<T>(key: string, read: () => Promise<T>, everyMs: ReadingPace, moved?: string): Live<T> {
  const [held, hold] = useState<{ key: string; value: T | undefined; error: Error | undefined }>();
  const [turn, setTurn] = useState(0);
  const latest = useRef(read);
  latest.current = read;
  const now = useRef(moved);
  now.current = moved;
  const pace = useRef(everyMs);
  pace.current = everyMs;
  const paceMs = () => (typeof pace.current === 'number' ? pace.current : pace.current());
  useLayoutEffect(() => {
    let isOver = false;
    let timer: Timer | undefined;
    /** A page that becomes visible reads at once; the reading before it then plans no other one. */
    let looks = 0;
    const look = async () => {
      looks += 1;
      const own = looks;
      const [before, sinceMs] = [now.current, performance.now()];
      const again = () => {
        const isDue = now.current === undefined || now.current !== before || performance.now() - sinceMs >= HIDDEN_MS;
        if (isDue) void look();
        else timer = after(paceMs(), again);
      };
      try {
        const value = await latest.current();
        if (!isOver) hold({ key, value, error: undefined });
      } catch (error) {
        if (!isOver)
          hold((before) => ({ key, value: before?.key === key ? before.value : undefined, error: error as Error }));
      }
      if (!isOver && own === looks) timer = after(document.hidden ? Math.max(HIDDEN_MS, paceMs()) : paceMs(), again);
    };
    const onVisible = () => {
      if (document.hidden) return;
      timer?.cancel();
      void look();
    };
    void look();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      isOver = true;
      timer?.cancel();
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [key, typeof everyMs === 'number' ? everyMs : undefined, turn]);
  const isOwn = held?.key === key;
  return {
    value: isOwn ? held.value : undefined,
    error: isOwn ? held.error : undefined,
    again: () => setTurn((before) => before + 1),
  };
}

/**
 * The status of a workflow as it changes. A page in the background closes its stream: it holds one of the few connections that a
 * browser opens to a server, and no user sees what it brings.
 */
export function useStatus(id: number): Live<WorkflowStatus> {
  const [held, hold] = useState<{ id: number; value?: WorkflowStatus; error?: Error }>();
  const [turn, setTurn] = useState(0);
  useLayoutEffect(() => {
    let stop: AbortController | undefined;
    const follow = () => {
      stop?.abort(CLOSED);
      stop = undefined;
      if (document.hidden) return;
      stop = new AbortController();
      void connection.followStatus(id, {
        signal: stop.signal,
        show: (value) => hold({ id, value }),
        fail: (error) => hold((before) => ({ ...(before?.id === id ? before : { id }), error })),
      });
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      stop?.abort(CLOSED);
      document.removeEventListener('visibilitychange', follow);
    };
  }, [id, turn]);
  const isOwn = held?.id === id;
  return {
    value: isOwn ? held.value : undefined,
    error: isOwn ? held.error : undefined,
    again: () => setTurn((before) => before + 1),
  };
}

export function useConnection(): ConnectionState {
  const [state, setState] = useState(connection.state);
  useLayoutEffect(() => connection.watch(() => setState(connection.state)), []);
  return state;
}

/** The part of the address behind `#`. */
export function useHash(): string {
  const [hash, setHash] = useState(location.hash);
  useLayoutEffect(() => {
    const onChange = () => setHash(location.hash);
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return hash;
}

/** Draws again now and then, for ages. */
export function useNow(everyMs = 10_000): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = repeatEvery(everyMs, () => setNow(Date.now()));
    return () => timer.cancel();
  }, [everyMs]);
  return now;
}
