import type { Value } from '../text/value.ts';

/**
 * The one definition from which a workflow file is checked, typed, completed in editors and documented.
 *
 * A shape says what a value must be; `Read<typeof shape>` is the type of a value that passed. Our own and not a schema
 * library's, because each mistake must keep Torc's sentence, name the nearest field, and leave the rest of the file
 * readable.
 */
export interface Shape<out T> {
  readonly kind: 'string' | 'integer' | 'float' | 'boolean' | 'choice' | 'list' | 'map' | 'object' | 'any';
  /** What Torc calls it: `expected i64`. */
  readonly expects: string;
  readonly choices?: readonly string[];
  readonly of?: Shape<unknown>;
  readonly fields?: Readonly<Record<string, Field<unknown, boolean>>>;
  /** Unknown fields are passed over, with a warning, instead of refused. */
  readonly isOpen?: boolean;
  /** Only for the type; never there. */
  readonly type?: T;
}

export interface Field<out T, out Needed extends boolean> {
  readonly shape: Shape<T>;
  readonly isNeeded: Needed;
  /** One sentence for editors and the reference. */
  readonly says: string;
  readonly standard?: string | number | boolean;
  /** A spelling that is read but said to be old. */
  readonly isOld?: boolean;
  /** Whether null is refused, which stands for absence in other fields. */
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

export const string: Shape<string> = { kind: 'string', expects: 'a string' };
export const integer: Shape<number> = { kind: 'integer', expects: 'i64' };
export const float: Shape<number> = { kind: 'float', expects: 'f64' };
export const boolean: Shape<boolean> = { kind: 'boolean', expects: 'a boolean' };

/** Any value at all. */
export const any: Shape<Value> = { kind: 'any', expects: 'any value' };

export const choice = <const C extends readonly string[]>(choices: C): Shape<C[number]> => ({
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

export const open = <T>(shape: Shape<T>): Shape<T> => ({ ...shape, isOpen: true });

/** A field that must be there. */
export const must = <T>(shape: Shape<T>, says: string): Field<T, true> => ({ shape, isNeeded: true, says });

/** A field that may be absent or null; `standard` is what holds then. */
export const may = <T>(shape: Shape<T>, says: string, standard?: string | number | boolean): Field<T, false> => ({
  shape,
  isNeeded: false,
  says,
  ...(standard === undefined ? {} : { standard }),
});

/** A field that may be absent but not null. */
export const notNull = <T>(field: Field<T, false>): Field<T, false> => ({ ...field, refusesNull: true });

export const old = <T>(field: Field<T, false>): Field<T, false> => ({ ...field, isOld: true });
