import { useEffect, useRef, useState } from 'preact/hooks';
import { after, every, type Timer } from '../client/long-timers.ts';
import { connection, type State } from './connection.ts';

/** What was read last, and why the last attempt failed. */
export interface Live<T> {
  readonly value: T | undefined;
  readonly error: Error | undefined;
  /** Reads again at once. */
  readonly again: () => void;
}

/** Between two readings of a page in the background. */
const HIDDEN_MS = 30_000;

/** Reads a value now and then, as long as it is shown. `key` names what is read: another one begins anew. */
export function useLive<T>(key: string, read: () => Promise<T>, everyMs: number): Live<T> {
  const [held, hold] = useState<{ key: string; value: T | undefined; error: Error | undefined }>();
  const [turn, setTurn] = useState(0);
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    let isOver = false;
    let timer: Timer | undefined;
    /** A page that becomes visible reads at once; the reading before it then plans no other one. */
    let looks = 0;
    const look = async () => {
      looks += 1;
      const own = looks;
      try {
        const value = await latest.current();
        if (!isOver) hold({ key, value, error: undefined });
      } catch (error) {
        if (!isOver)
          hold((before) => ({ key, value: before?.key === key ? before.value : undefined, error: error as Error }));
      }
      if (!isOver && own === looks) timer = after(document.hidden ? HIDDEN_MS : everyMs, () => void look());
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
  }, [key, everyMs, turn]);
  const isOwn = held?.key === key;
  return {
    value: isOwn ? held.value : undefined,
    error: isOwn ? held.error : undefined,
    again: () => setTurn((before) => before + 1),
  };
}

export function useConnection(): State {
  const [state, setState] = useState(connection.state);
  useEffect(() => connection.watch(() => setState(connection.state)), []);
  return state;
}

/** The part of the address behind `#`. */
export function useHash(): string {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
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
    const timer = every(everyMs, () => setNow(Date.now()));
    return () => timer.cancel();
  }, [everyMs]);
  return now;
}
