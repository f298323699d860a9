import { mask } from '../config/kinds.ts';
import type { Configuration, Path } from '../config/schema.ts';
import { UsageError } from './failure.ts';
import { type KindName, kindNamed, type TypedKind } from './kinds.ts';

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
  /** Of its value, where the name of the value does not say it: `<folder>`. */
  readonly kind?: KindName;
  /** Converts the text, where its kind does not; throws `UsageError`, which names the option: `--limit`. */
  readonly read?: (text: string, name: string) => unknown;
  /** May be repeated; the values become a list. */
  readonly many?: boolean;
  readonly choices?: readonly string[];
}

/** An option: how it is given, what help says about it, and what else is known of it. The type of its value follows from the exact type. */
export const option = <const Flags extends string, const More extends Omit<Option, 'flags' | 'says'> = object>(
  flags: Flags,
  says: string,
  more?: More,
) => ({ flags, says, ...more }) as { readonly flags: Flags; readonly says: string } & More;

/** The same for several options. */
export const optionsOf = <const O extends readonly Option[]>(tables: O): O => tables;

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** `output-dir` of `-o, --output-dir <folder>`. */
type Long<Flags extends string> = Flags extends `${string}--${infer Rest}`
  ? Rest extends `${infer Name} ${string}`
    ? Name
    : Rest
  : never;

/** `--no-prompts` sets `prompts` to false, which is true otherwise: so commander stores it. */
type NameOf<Flags extends string> = Long<Flags> extends `no-${infer Name}` ? Camel<Name> : Camel<Long<Flags>>;

type One<O extends Option> = O extends { readonly read: (text: string, name: string) => infer Value }
  ? Value
  : O extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : string;

type GivenValue<O extends Option> = O['flags'] extends `${string}<${string}` | `${string}[${string}`
  ?
      | (O extends { readonly many: true } | { readonly flags: `${string}...${string}` } ? One<O>[] : One<O>)
      | (O['flags'] extends `${string}[${string}` ? true : never)
  : boolean;

/** What stands in place of an option that was not given. */
type OtherValue<O extends Option> = O extends { readonly setting: infer Key extends Path }
  ? Configuration[Key]
  : O extends { readonly default: string | number | boolean } | { readonly required: true }
    ? never
    : Long<O['flags']> extends `no-${string}`
      ? never
      : undefined;

/** The values of options by their names: the type that a command gets, derived from its table. */
export type ValuesOf<Options extends readonly Option[]> = {
  readonly [O in Options[number] as NameOf<O['flags']>]: GivenValue<O> | OtherValue<O>;
};

/** The name under which a command finds the value of an option: `outputDir` for `--output-dir`. */
export const optionName = ({ flags }: Option): string =>
  (/--([\w-]+)/.exec(flags)?.[1] ?? '').replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Its flags without their values: `-l` and `--limit` of `-l, --limit <n>`. */
export const flagsOf = ({ flags }: Option): string[] => flags.split(/,\s*/).map((part) => part.split(' ')[0] as string);
export const longOf = (given: Option): string => flagsOf(given).find((flag) => flag.startsWith('--')) ?? '';

/** The kind of its value. */
export const kindOfOption = ({ kind, flags }: Option): TypedKind =>
  kindNamed(kind ?? /[<[]([\w-]+)/.exec(flags)?.[1] ?? '');

export type Values = Readonly<Record<string, unknown>>;

export const integerOption =
  (least = Number.MIN_SAFE_INTEGER) =>
  (text: string, name: string): number => {
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

/** Text of which the server says whether it is one of its words: it knows them all, and names them in its refusal. */
export const checkedByServer =
  <Word extends string>() =>
  (text: string): Word =>
    text as Word;

export const numberOption =
  (least = -Infinity) =>
  (text: string, name: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isFinite(value))
      throw new UsageError(`${name}: expected a number, found "${text}"`);
    if (value < least) throw new UsageError(`${name}: expected ${least} or more, found ${text}`);
    return value;
  };

/** A number that is more than 0. */
export function positiveOption(text: string, name: string): number {
  const value = numberOption()(text, name);
  if (value <= 0) throw new UsageError(`${name}: expected more than 0, found ${text}`);
  return value;
}
