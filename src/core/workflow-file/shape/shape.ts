import type { Value } from '../text/value.ts';

/**
 * The single definition with which a workflow file is checked, typed, completed in editors and documented.
 *
 * A shape describes a valid value; `Read<typeof shape>` is the type of a valid value. It is our own and not a schema
 * library's, because each error must keep Torc's sentence, name the nearest field, and leave the rest of the file
 * readable.
 */
export interface Shape<out T> {
  readonly kind: 'string' | 'integer' | 'float' | 'boolean' | 'choice' | 'list' | 'map' | 'object' | 'any';
  /** Torc's name for it: `expected i64`. */
  readonly expects: string;
  readonly choices?: readonly string[];
  readonly of?: Shape<unknown>;
  readonly fields?: Readonly<Record<string, Field<unknown, boolean>>>;
  /** Unknown fields are ignored with a warning, instead of refused. */
  readonly isOpen?: boolean;
  /** The field that a text in place of the object gives: `'a.txt'` is `{ path: 'a.txt' }`. */
  readonly short?: string;
  /** Only for the type; never set. */
  readonly type?: T;
}

export interface Field<out T, out Needed extends boolean> {
  readonly shape: Shape<T>;
  readonly isNeeded: Needed;
  /** What the field means, in a sentence or two: for editors (on hover) and for the reference. */
  readonly says: string;
  /** The value that applies when the field is absent. */
  readonly standard?: string | number | boolean;
  /** The unit of a number: `seconds`. */
  readonly unit?: string;
  /** A value that a person could write here; a test reads it with the shape. */
  readonly example?: Value;
  /** The field that may stand in place of this required one. */
  readonly unless?: string;
  /** A deprecated field: it is read, with a warning. */
  readonly isOld?: boolean;
  /** Whether null is refused; in other fields it means absent. */
  readonly refusesNull?: boolean;
}

/** The type of a value that a shape accepts. */
export type Read<S> = S extends Shape<infer T> ? T : never;

type Fields = Readonly<Record<string, Field<unknown, boolean>>>;
type NeededKeys<F extends Fields> = { [K in keyof F]: F[K] extends Field<unknown, true> ? K : never }[keyof F];
type ReadFields<F extends Fields> = {
  readonly [K in NeededKeys<F>]: Read<F[K]['shape']>;
} & {
  readonly [K in Exclude<keyof F, NeededKeys<F>>]?: Read<F[K]['shape']>;
};

export const stringShape: Shape<string> = { kind: 'string', expects: 'a string' };
export const integerShape: Shape<number> = { kind: 'integer', expects: 'i64' };
export const floatShape: Shape<number> = { kind: 'float', expects: 'f64' };
export const booleanShape: Shape<boolean> = { kind: 'boolean', expects: 'a boolean' };

export const any: Shape<Value> = { kind: 'any', expects: 'any value' };

export const choiceShape = <const C extends readonly string[]>(choices: C): Shape<C[number]> => ({
  kind: 'choice',
  expects: 'a string',
  choices,
});

export const list = <T>(of: Shape<T>): Shape<readonly T[]> => ({ kind: 'list', expects: 'a sequence', of });

export const map = <T>(of: Shape<T>): Shape<Readonly<Record<string, T>>> => ({ kind: 'map', expects: 'a map', of });

export const object = <const F extends Fields>(name: string, fields: F): Shape<ReadFields<F>> => ({
  kind: 'object',
  expects: `struct ${name}`,
  fields,
});

/** An object for which the text of one of its fields may stand. */
export const orText = <T>(shape: Shape<T>, short: keyof T & string): Shape<T> => ({ ...shape, short });

export const open = <T>(shape: Shape<T>): Shape<T> => ({ ...shape, isOpen: true });

/** What a field says of its values beside its shape. */
type About = Pick<Field<unknown, boolean>, 'standard' | 'unit' | 'example' | 'unless'>;

/** A required field. */
export const must = <T>(shape: Shape<T>, says: string, about: Omit<About, 'standard'> = {}): Field<T, true> => ({
  shape,
  isNeeded: true,
  says,
  ...about,
});

/** A field that may be absent or null. */
export const may = <T>(shape: Shape<T>, says: string, about: About = {}): Field<T, false> => ({
  shape,
  isNeeded: false,
  says,
  ...about,
});

/** A field that may be absent but not null. */
export const notNull = <T>(field: Field<T, false>): Field<T, false> => ({ ...field, refusesNull: true });

export const old = <T>(field: Field<T, false>): Field<T, false> => ({ ...field, isOld: true });
