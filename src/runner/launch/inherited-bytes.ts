import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the runtime puts in the place of bytes that are not UTF-8. */
const REPLACED = '\ufffd';

/**
 * Variables whose values are not UTF-8, as the bytes `NAME=value` that this process got: a path in Latin-1, for instance. The
 * runtime has other characters in their place. A value that was changed since then is not among them.
 */
export function inheritedBytes(environment: Environment): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  const suspects = new Set(Object.keys(environment).filter((name) => environment[name]?.includes(REPLACED) === true));
  if (suspects.size === 0) return found;
  for (const entry of entriesOf(ownEnvironment())) {
    const text = entry.toString('utf8');
    const name = text.slice(0, text.indexOf('='));
    if (suspects.has(name) && !isUtf8(entry) && text === `${name}=${environment[name]}`) found.set(name, entry);
  }
  return found;
}

function ownEnvironment(): Buffer {
  try {
    return readFileSync('/proc/self/environ');
  } catch {
    return Buffer.alloc(0);
  }
}

function* entriesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0, at);
    yield bytes.subarray(at, end < 0 ? bytes.length : end);
    if (end < 0) return;
    at = end + 1;
  }
}
