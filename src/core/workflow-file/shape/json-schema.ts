import type { Field, Shape } from './shape.ts';
import { workflow } from './workflow.ts';

/** A JSON Schema, with the keywords that we use. */
export type JsonSchema = { readonly [key: string]: unknown };

/**
 * The JSON Schema (2020-12) of a workflow file, for completion and checks in editors.
 *
 * Generated from the definition that the reader uses. Optional fields may also be null, as in Torc, except `variables`.
 */
export const specJsonSchema = (): JsonSchema => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Torc workflow',
  ...schemaOf(workflow),
});

function schemaOf(shape: Shape<unknown>): JsonSchema {
  switch (shape.kind) {
    case 'any':
      return {};
    case 'string':
    case 'integer':
    case 'boolean':
      return { type: shape.kind };
    case 'float':
      return { type: 'number' };
    case 'choice':
      return { type: 'string', enum: shape.choices };
    case 'list':
      return { type: 'array', items: shape.of === undefined ? {} : schemaOf(shape.of) };
    case 'map':
      return { type: 'object', additionalProperties: shape.of === undefined ? true : schemaOf(shape.of) };
    case 'object':
      return shape.short === undefined ? objectSchema(shape) : { anyOf: [{ type: 'string' }, objectSchema(shape)] };
  }
}

function objectSchema(shape: Shape<unknown>): JsonSchema {
  const fields = Object.entries(shape.fields ?? {});
  const needed = fields.filter(([, field]) => field.isNeeded);
  const required = needed.filter(([, { unless }]) => unless === undefined).map(([name]) => name);
  const choices = needed.flatMap(([name, { unless }]) =>
    unless === undefined ? [] : [{ oneOf: [{ required: [name] }, { required: [unless] }] }],
  );
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, fieldSchema(field)])),
    ...(required.length === 0 ? {} : { required }),
    ...(choices.length === 0 ? {} : { allOf: choices }),
    additionalProperties: shape.isOpen === true,
  };
}

function fieldSchema(field: Field<unknown, boolean>): JsonSchema {
  return {
    ...(field.isNeeded || field.refusesNull === true ? schemaOf(field.shape) : orNull(schemaOf(field.shape))),
    description: field.says,
    ...(field.standard === undefined ? {} : { default: field.standard }),
    ...(field.example === undefined ? {} : { examples: [field.example] }),
    ...(field.isOld === true ? { deprecated: true } : {}),
  };
}

function orNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema['enum'])) return { ...schema, type: ['string', 'null'], enum: [...schema['enum'], null] };
  return typeof schema['type'] === 'string' ? { ...schema, type: [schema['type'], 'null'] } : schema;
}
