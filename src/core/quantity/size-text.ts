const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** An amount of memory or of data for people: `394 MiB`, `1.5 GiB`. Units are powers of 1024 and say so. */
export const sizeText = (bytes: number): string => textIn(unitOf(bytes), bytes);

/**
 * Amounts to be compared. Two that differ never read the same: 2 GiB and 20 MiB less are `2048 MiB` and `2028 MiB`.
 */
export function sizeTexts(...amounts: readonly number[]): string[] {
  const differ = new Set(amounts).size;
  let units = amounts.map(unitOf);
  for (;;) {
    const texts = amounts.map((bytes, at) => textIn(units[at] as number, bytes));
    if (new Set(texts).size === differ || units.every((unit) => unit === 0)) return texts;
    units = units.map((unit) => Math.max(0, unit - 1));
  }
}

/** `394 of 200 MiB`, `1.5 GiB of 512 MiB`. */
export function partOfSize(bytes: number, whole: number): string {
  const [part, all] = sizeTexts(bytes, whole).map((text) => text.split(' ')) as [string[], string[]];
  return `${part[1] === all[1] ? part[0] : part.join(' ')} of ${all.join(' ')}`;
}

function unitOf(bytes: number): number {
  let value = bytes;
  let unit = 0;
  // What one decimal would round up to 1024 is one of the next unit.
  while (value >= (unit === 0 ? 1024 : 1023.95) && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return unit;
}

const textIn = (unit: number, bytes: number) => `${Math.round((bytes / 1024 ** unit) * 10) / 10} ${UNITS[unit]}`;
