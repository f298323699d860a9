import { useEffect, useState } from 'preact/hooks';
import { after } from '../client/long-timers.ts';

const LONG_MS = 10_000;

/** That something is on its way, and after some seconds what may hold it up. */
export function Loading({ what }: { readonly what: string }) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = after(LONG_MS, () => setLong(true));
    return () => timer.cancel();
  }, []);
  return (
    <p class="note" role="status">
      Loading {what} …{' '}
      {isLong &&
        'The server has not replied for 10 s: it is busy or away, or other windows of this browser hold its connections.'}
    </p>
  );
}
