/**
 * Seconds after which a runner starts, so that runners which start together spread over a window of whole seconds and
 * do not contact the server at once. It depends on `who` alone: a restarted runner waits as long as before.
 */
export function startDelaySeconds(windowSeconds: number, who: string): number {
  let hash = 0;
  for (const letter of who) hash = (Math.imul(hash, 31) + (letter.codePointAt(0) ?? 0)) >>> 0;
  return hash % Math.max(1, Math.floor(windowSeconds));
}
