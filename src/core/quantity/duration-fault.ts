import { parseDuration } from './duration.ts';
import { readAmount } from './read-amount.ts';

/** Why a text is no duration above zero, as a sentence; undefined for one that is, and for none. */
export function durationFault(field: string, text: string | null | undefined): string | undefined {
  if (text === undefined || text === null) return undefined;
  const seconds = readAmount(text, parseDuration);
  if (seconds === undefined) return `${field} must be an ISO 8601 duration such as PT2H or PT90S; found "${text}"`;
  return seconds === 0 ? `${field} must be at least a second; found "${text}"` : undefined;
}
