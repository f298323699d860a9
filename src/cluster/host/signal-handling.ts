import { textOf } from './group-files.ts';

/**
 * The signals that a process handles or ignores, bit 0 for signal 1; undefined if it has ended, or cannot be looked at.
 *
 * Source: proc(5), SigIgn and SigCgt of /proc/PID/status, in hexadecimal digits.
 */
export function handledSignals(pid: number): bigint | undefined {
  const status = textOf(`/proc/${pid}/status`);
  return status === undefined ? undefined : handledIn(status);
}

function handledIn(status: string): bigint | undefined {
  // A process that has ended has no handlers left, until its parent has taken notice.
  if (/^State:\s*[ZX]/m.test(status)) return undefined;
  const masks = [...status.matchAll(/^Sig(?:Ign|Cgt):\s*([0-9a-f]+)$/gm)].map(([, mask]) => BigInt(`0x${mask}`));
  return masks.length === 0 ? undefined : masks.reduce((all, mask) => all | mask, 0n);
}
