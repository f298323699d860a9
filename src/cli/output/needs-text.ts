import { parseMemory } from '../../core/quantity/bytes.ts';
import { parseDuration } from '../../core/quantity/duration.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import { timeText } from '../../core/quantity/time-text.ts';

/** `2g` as `2 GiB`: as everywhere where amounts are read and not written. What cannot be read is shown as it is. */
export const askedMemoryText = (memory: string | null | undefined): string =>
  readable(memory, (text) => sizeText(parseMemory(text)));

/** `PT1H30M` as `1h 30m`. */
export const askedTimeText = (runtime: string | null | undefined): string =>
  readable(runtime, (text) => timeText(parseDuration(text)));

/** Torc's own server stores what it is given. */
function readable(text: string | null | undefined, read: (text: string) => string): string {
  if (text === undefined || text === null || text === '') return '';
  try {
    return read(text);
  } catch {
    return text;
  }
}
