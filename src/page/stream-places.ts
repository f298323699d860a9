/** A place among the windows of this browser that follow by a stream. */
export interface StreamPlace {
  /** For another window. May be called twice. */
  leave(): void;
}

/** A browser opens six connections to a server over HTTP/1.1, for all windows together; the others are for requests. */
const MOST = 4;
/** A window that ended and did not leave holds its place no longer. Timers of windows that are covered run once a minute. */
const HELD_MS = 90_000;
const RENEW_MS = 5_000;

/**
 * Gives windows of one origin places for streams, as long as there are some. They share the storage: locks of the browser exist only
 * over TLS and on this machine.
 */
export function streamPlaces(
  key: string,
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> = localStorage,
  now: () => number = Date.now,
): () => StreamPlace | undefined {
  return () => {
    const own = crypto.getRandomValues(new Uint32Array(2)).join('-');
    const isFree = (name: string) => now() - Number(storage.getItem(name)?.split(' ')[1] ?? 0) > HELD_MS;
    const name = Array.from({ length: MOST }, (_, at) => `${key} ${at}`).find(isFree);
    if (name === undefined) return undefined;
    const hold = () => storage.setItem(name, `${own} ${now()}`);
    hold();
    const timer = setInterval(hold, RENEW_MS);
    const leave = () => {
      clearInterval(timer);
      if (storage.getItem(name)?.startsWith(`${own} `) === true) storage.removeItem(name);
    };
    globalThis.addEventListener?.('pagehide', leave, { once: true });
    return { leave };
  };
}
