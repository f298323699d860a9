import type * as z from 'zod';

/** What a value of a shape is, as far as requests are made from it. */
export type Kind =
  | { readonly is: 'integer'; readonly min: number; readonly max: number }
  | { readonly is: 'number'; readonly min: number; readonly max: number }
  | { readonly is: 'text' | 'flag' | 'json' }
  /** A number that is written as text, in a path or a query; whole or with a fraction. */
  | { readonly is: 'digits'; readonly isWhole: boolean }
  | { readonly is: 'choice'; readonly of: readonly string[] }
  | { readonly is: 'list'; readonly of: Kind }
  | { readonly is: 'map'; readonly of: Kind }
  | { readonly is: 'object'; readonly fields: ReadonlyMap<string, Field>; readonly isClosed: boolean };

export interface Field {
  readonly kind: Kind;
  readonly isOptional: boolean;
}

/** The parts of zod's definitions that the contract is made of. */
interface Definition {
  readonly type: string;
  readonly innerType: z.ZodType;
  readonly element: z.ZodType;
  readonly valueType: z.ZodType;
  readonly in: z.ZodType;
  readonly out: z.ZodType;
  readonly shape: Readonly<Record<string, z.ZodType>>;
  readonly entries: Readonly<Record<string, string>>;
  readonly catchall?: z.ZodType;
}

const definitionOf = (shape: z.ZodType) => shape._zod.def as unknown as Definition;

/** The kind behind "may be absent" and "may be null". */
export function fieldOf(shape: z.ZodType): Field {
  const definition = definitionOf(shape);
  if (definition.type === 'optional' || definition.type === 'nullable') {
    return { kind: fieldOf(definition.innerType).kind, isOptional: true };
  }
  return { kind: kindOf(shape), isOptional: false };
}

export function kindOf(shape: z.ZodType): Kind {
  const definition = definitionOf(shape);
  switch (definition.type) {
    case 'number': {
      const { isInt, minValue, maxValue } = shape as z.ZodNumber;
      return { is: isInt ? 'integer' : 'number', min: minValue ?? -Infinity, max: maxValue ?? Infinity };
    }
    case 'string':
      return { is: 'text' };
    case 'boolean':
      return { is: 'flag' };
    case 'unknown':
      return { is: 'json' };
    case 'enum':
      return { is: 'choice', of: Object.values(definition.entries) };
    case 'array':
      return { is: 'list', of: fieldOf(definition.element).kind };
    case 'record':
      return { is: 'map', of: fieldOf(definition.valueType).kind };
    case 'object':
      return {
        is: 'object',
        fields: new Map(Object.entries(definition.shape).map(([name, part]) => [name, fieldOf(part)])),
        isClosed: definition.catchall !== undefined && definitionOf(definition.catchall).type === 'never',
      };
    // Numbers and flags that arrive as text and are turned into what they mean.
    case 'pipe': {
      const behind = kindOf(definition.in);
      if (behind.is === 'choice' || behind.is === 'digits') return behind;
      return { is: 'digits', isWhole: !definition.in.safeParse('1.5').success };
    }
    default:
      throw new Error(`a shape of the contract is of a kind that requests are not made from: ${definition.type}`);
  }
}
