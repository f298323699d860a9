import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/**
 * Whether a process handles or ignores a signal; undefined if it has ended, or cannot be looked at.
 *
 * Source: proc(5), SigIgn and SigCgt of /proc/PID/status: masks in hexadecimal digits, bit 0 for signal 1.
 */
export function handlesSignal(pid: number, signal: NodeJS.Signals): boolean | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    return undefined;
  }
  return handledIn(text, constants.signals[signal]);
}

export function handledIn(status: string, signal: number): boolean | undefined {
  // A process that has ended has no handlers left, until its parent has taken notice.
  if (/^State:\s*[ZX]/m.test(status)) return undefined;
  const masks = [...status.matchAll(/^Sig(?:Ign|Cgt):\s*([0-9a-f]+)$/gm)].map(([, mask]) => BigInt(`0x${mask}`));
  return masks.length === 0 ? undefined : masks.some((mask) => (mask >> BigInt(signal - 1)) % 2n === 1n);
}
