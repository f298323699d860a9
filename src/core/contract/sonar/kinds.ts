/**
 * The kinds of fields of the Sonar format, and objects of such fields.
 *
 * An object is a table from which everything else follows: the types of TypeScript (`ValueOf`), what `check` accepts,
 * what `encode` writes, and the table of fields in the docs. A field that is absent has its default value: zero, the
 * empty string, false, the empty object or the empty list.
 */

/** A number of 64 bits: a bigint where a number would lose digits, that is above 2^53 - 1. */
export type Uint = number | bigint;

export type ScalarKind =
  | 'string'
  /** The empty string is an error. */
  | 'nonempty'
  | 'uint'
  /** Zero is an error. */
  | 'nonzero'
  /** 0 is unset, 1 is infinite, any other value is stored with 2 added: see `extended-uint.ts`. */
  | 'extended'
  | 'int'
  | 'float'
  | 'bool'
  | 'timestamp'
  /** A dotted host name, or a prefix of one. */
  | 'hostname'
  /** Host names in brief: see `node-range.ts`. */
  | 'range';

export interface SonarField {
  readonly kind: ScalarKind | ObjectTable;
  readonly list?: 1 | 2;
  readonly says: string;
  readonly unit?: string;
  /** What is wrong without it: `refused`, or only `known` to be left out by producers that are in use. */
  readonly required?: 'refused' | 'known';
  /** Written even where it has its default value: consumers that are in use fail without it. */
  readonly always?: true;
  /** Not in version 0 as the text describes it: the release of Sonar that brought it. */
  readonly since?: string;
  /** In the text, and no longer written since this release of Sonar. */
  readonly until?: string;
}

export interface ObjectTable {
  readonly name: string;
  readonly fields: Readonly<Record<string, SonarField>>;
}

type ScalarOf<Kind> = Kind extends 'uint' | 'nonzero' | 'extended' | 'int'
  ? Uint
  : Kind extends 'float'
    ? number
    : Kind extends 'bool'
      ? boolean
      : string;

type One<F extends SonarField> = F['kind'] extends ObjectTable ? ValueOf<F['kind']> : ScalarOf<F['kind']>;

type Listed<F extends SonarField> = F extends { readonly list: 2 }
  ? readonly (readonly One<F>[])[]
  : F extends { readonly list: 1 }
    ? readonly One<F>[]
    : One<F>;

type RequiredNames<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { readonly required: 'refused' } ? Name : never;
}[keyof Fields];

/** The value that an object table describes. A field with a default may be left out. */
export type ValueOf<Table extends ObjectTable> = {
  readonly [Name in RequiredNames<Table['fields']>]: Listed<Table['fields'][Name]>;
} & {
  readonly [Name in Exclude<keyof Table['fields'], RequiredNames<Table['fields']>>]?:
    | Listed<Table['fields'][Name]>
    | undefined;
};

/** Keeps the exact type of a table. */
export const objectOf = <const Name extends string, const Fields extends Readonly<Record<string, SonarField>>>(
  name: Name,
  fields: Fields,
): { readonly name: Name; readonly fields: Fields } => ({ name, fields });
