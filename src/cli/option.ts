import { mask } from './config/kinds.ts';
import type { Path } from './config/schema.ts';
import { UsageError } from './failure.ts';

/** An option of a command, as data: help, completion and the reference page are made from it. */
export interface Option {
  /** As commander reads it: `-l, --limit <n>`. */
  readonly flags: string;
  readonly says: string;
  readonly default?: string | number | boolean;
  /** The key of the configuration that holds where the option is not given. */
  readonly setting?: Path | undefined;
  /** Without it the command does nothing. */
  readonly required?: boolean;
  /** Another spelling of one that help shows. */
  readonly isHidden?: true;
  /** What the text means; throws `UsageError`. */
  readonly read?: (text: string) => unknown;
  /** May be given several times; the values become a list. */
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
