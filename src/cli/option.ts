import { mask } from './config/kinds.ts';
import type { Path } from './config/schema.ts';
import { UsageError } from './failure.ts';

/** An option of a command, as data: help, completion and the reference page are generated from it. */
export interface Option {
  /** In the notation of commander: `-l, --limit <n>`. */
  readonly flags: string;
  readonly says: string;
  readonly default?: string | number | boolean;
  /** The configuration key that applies if the option is not given. */
  readonly setting?: Path | undefined;
  /** The command refuses to run without it. */
  readonly required?: boolean;
  /** A second spelling that help does not show. */
  readonly isHidden?: true;
  /** Converts the text; throws `UsageError`. */
  readonly read?: (text: string) => unknown;
  /** May be repeated; the values become a list. */
  readonly many?: boolean;
  readonly choices?: readonly string[];
}

/** The name under which a command finds the value of an option: `outputDir` for `--output-dir`. */
export const optionName = ({ flags }: Option): string =>
  (/--([\w-]+)/.exec(flags)?.[1] ?? '').replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

export type Values = Readonly<Record<string, unknown>>;

export const integer =
  (name: string, least = Number.MIN_SAFE_INTEGER) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^[+-]?\d+$/.test(text.trim()) || !Number.isSafeInteger(value))
      throw new UsageError(`${name}: expected a whole number, found "${text}"`);
    if (value < least) throw new UsageError(`${name}: expected ${least} or more, found ${text}`);
    return value;
  };

/** `--umask 027`. */
export function fileMask(text: string): string {
  const found = mask.read(text, () => {});
  if (found === undefined) throw new UsageError(`--umask: expected ${mask.expected}, found "${text}"`);
  return found;
}

export const number =
  (name: string, least = -Infinity) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value))
      throw new UsageError(`${name}: expected a number, found "${text}"`);
    if (value < least) throw new UsageError(`${name}: expected ${least} or more, found ${text}`);
    return value;
  };
