import { encodeExtended, exactUint } from './extended-uint.ts';
import type { Uint } from './kinds.ts';
import type { Metadata } from './shared.ts';

/**
 * What a value means depends on who wrote it: producers differ from the text, and from one another. Values are stored as
 * they came; these functions give what they mean.
 */
type Producer = Pick<Metadata, 'producer' | 'version'>;

/** Programs that write `time_limit` in seconds; the text says minutes. */
const SECONDS = new Set(['sonar', 'torc']);

/** A `time_limit` in the form that torc writes: seconds with 2 added. */
export function limitInSeconds({ producer }: Producer, encoded: Uint): Uint {
  if (SECONDS.has(producer) || BigInt(encoded) < 2n) return encoded;
  return exactUint((BigInt(encoded) - 2n) * 60n + 2n);
}

/** The performance state of a card, or undefined if it is unknown. */
export function performanceState({ producer }: Producer, encoded: Uint | undefined): number | undefined {
  const added = producer === 'sonar' ? 1 : 2;
  const value = Number(encoded ?? 0);
  return value < added ? undefined : value - added;
}

/** Current CPU use in percent of one core: Sonar before 0.16 wrote a fraction. */
export function cpuUtilPercent({ producer, version }: Producer, value: number): number {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return producer === 'sonar' && major === 0 && minor < 16 ? value * 100 : value;
}

/** `CANCELLED by 1000` is CANCELLED. */
export const stateWord = (state: string): string => state.split(' ', 1)[0] ?? '';

/** The `priority` of a job that is held: 0, which Slurm gives to no other job. */
export const HELD_PRIORITY = encodeExtended(0);

/** The `compute_mode` of a card that is split into slices (MIG of NVIDIA), of which no tool reports the use. */
export const SLICED_MODE = 'MIG';
