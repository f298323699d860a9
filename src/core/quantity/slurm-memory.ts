import { Refusal } from '../contract/refusals.ts';

/**
 * MB of a memory request such as `100g`, `0.5g`, `512m` or `1024k`; a number without a letter means MB here.
 *
 * Throws: `MEMORY_MALFORMED`, also for `0.5m`, `1t` and `10gb`, as Torc 1.0.0.
 */
export function parseMemoryMb(text: string): number {
  const match = /^(\d+(?:\.\d+)?)([gmk]?)$/i.exec(text.trim());
  const [, digits = '', letter = ''] = match ?? [];
  const unit = letter.toLowerCase();
  if (match === null || (unit !== 'g' && digits.includes('.')))
    throw new Refusal(
      'MEMORY_MALFORMED',
      `Invalid memory format: "${text}"; expected something like 100g, 512m or 2048`,
      {
        text,
      },
    );
  if (unit === 'g') return Math.floor(Number(digits) * 1024);
  return unit === 'k' ? Math.floor(Number(digits) / 1024) : Number(digits);
}
