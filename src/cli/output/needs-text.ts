import { parseMemory } from '../../core/quantity/bytes.ts';
import { parseDuration } from '../../core/quantity/duration.ts';
import { readAmount } from '../../core/quantity/read-amount.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import { timeText } from '../../core/quantity/time-text.ts';

/** `2g` as `2 GiB`: as everywhere where amounts are read and not written. What cannot be read is shown as it is. */
export const askedMemoryText = (memory: string | null | undefined): string =>
  readAmount(memory, (text) => sizeText(parseMemory(text))) ?? memory ?? '';

/** `PT1H30M` as `1h 30m`. */
export const askedTimeText = (runtime: string | null | undefined): string =>
  readAmount(runtime, (text) => timeText(parseDuration(text))) ?? runtime ?? '';
