import { patternText } from '../../text/pattern-text.ts';

/**
 * The records of a list that are in the file but could not be read or expanded.
 *
 * A reference to one of them is not a second error. Their names are known only up to the text around their parameters:
 * a failed `work_{i}` may have been any `work_…`.
 */
export class Lost {
  private readonly isAll: boolean;
  private readonly shapes: readonly { readonly head: string; readonly whole: RegExp }[];

  /** `isAll` if records without any readable name are lost; `names` are those of the others, as written. */
  constructor(isAll: boolean, names: readonly string[]) {
    this.isAll = isAll;
    this.shapes = names.map((name) => {
      const parts = name.split(/\{[^{}]*\}/);
      const whole = parts.map((part) => patternText(part)).join('.*');
      return { head: parts[0] ?? '', whole: new RegExp(`^${whole}$`, 's') };
    });
  }

  /** Whether a name may be that of a lost record. */
  mayHave(name: string): boolean {
    return this.isAll || this.shapes.some(({ whole }) => whole.test(name));
  }

  /** Whether a lost record's name may begin so. */
  mayBegin(prefix: string): boolean {
    return this.isAll || this.shapes.some(({ head }) => head.startsWith(prefix) || prefix.startsWith(head));
  }
}
