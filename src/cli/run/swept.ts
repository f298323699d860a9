import { counted } from '../../core/quantity/count-text.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import type { Swept } from '../../runner/facts/options.ts';

/** `deleted 40 temporary files, 12.3 GiB`; undefined if there was none. */
export function sweptWords({ files, bytes, kept }: Swept): string | undefined {
  const parts = [
    files > 0 ? `deleted ${counted(files, 'temporary file')}, ${sizeText(bytes)}` : '',
    kept > 0 ? `left ${counted(kept, 'temporary file')} as found: the log of the runner says why` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? undefined : parts.join('; ');
}
