import { Refusal } from '../contract/refusals.ts';

/** Powers of 1024, largest first: a memory of `1g` is 2^30 bytes. */
const UNITS = [
  ['t', 2 ** 40],
  ['g', 2 ** 30],
  ['m', 2 ** 20],
  ['k', 2 ** 10],
] as const;

/** Torc keeps sizes as signed 64-bit numbers, and refuses larger ones. */
const LARGEST = 2n ** 63n - 1n;
/** The largest number of bytes that is exact here, 8 PiB: no machine has it, so more of it means the same. */
const MOST = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Bytes of a memory such as `4g`, `512M` or `1024`.
 *
 * Unit: bytes, at most 2^53 - 1; letters are powers of 1024, of either case; a bare number is bytes.
 * Shape: a whole number and at most one of `k m g t`; blanks around it are ignored.
 * Throws: `MEMORY_MALFORMED`, also for `4gb`, `1.5g`, `4 g`, a negative number and one beyond 64 bits.
 */
export function parseMemory(text: string): number {
  const trimmed = text.trim();
  if (trimmed === '') throw malformed('Memory string cannot be empty', text);
  const [, digits = '', letter = ''] = /^(.*?)([^0-9]?)$/su.exec(trimmed) ?? [];
  const unit = UNITS.find(([name]) => name === letter.toLowerCase());
  if (letter !== '' && unit === undefined) throw malformed(`Invalid memory unit: ${letter}`, text);
  if (!/^[+-]?\d+$/.test(digits)) throw malformed(`Invalid number in memory string: ${digits}`, text);
  const exact = BigInt(digits.replace('+', '')) * BigInt(unit?.[1] ?? 1);
  if (exact < 0n) throw malformed(`Memory cannot be negative: ${trimmed}`, text);
  if (exact > LARGEST) throw malformed(`Memory is too large: ${trimmed}`, text);
  return Number(exact > MOST ? MOST : exact);
}

/**
 * A memory size in the form of a workflow file: in the largest unit of which there is at least one, rounded up.
 *
 * It is rounded up because it limits a job: 3.5e9 bytes become `4g`. Below a kibibyte it is a bare number.
 */
export function formatMemory(bytes: number): string {
  const unit = UNITS.find(([, size]) => bytes >= size);
  return unit === undefined ? String(Math.ceil(bytes)) : `${Math.ceil(bytes / unit[1])}${unit[0]}`;
}

/**
 * Bytes of a memory size that Slurm printed, such as `512K` or `1.50M`; undefined for a blank field.
 *
 * Throws: `MEMORY_MALFORMED`.
 * Source: sacct(1), fields `MaxRSS` and `AveRSS`; sstat(1).
 */
export function parseSlurmMemory(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const [, digits, letter = ''] = /^(\d+(?:\.\d+)?)([kmgt]?)$/i.exec(trimmed) ?? [];
  if (digits === undefined) throw malformed(`Not a memory as Slurm prints it: ${trimmed}`, text);
  const unit = UNITS.find(([name]) => name === letter.toLowerCase());
  return Math.round(Number(digits) * (unit?.[1] ?? 1));
}

const malformed = (message: string, text: string): Refusal => new Refusal('MEMORY_MALFORMED', message, { text });
