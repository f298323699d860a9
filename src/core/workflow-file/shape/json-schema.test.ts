import { expect, it } from 'vitest';
import { specJsonSchema } from './json-schema.ts';
import { workflow } from './workflow.ts';

it('the schema describes every field of a workflow, and refuses others', () => {
  const schema = specJsonSchema();
  expect(Object.keys(schema['properties'] as object)).toEqual(Object.keys(workflow.fields ?? {}));
  expect(schema).toMatchObject({ type: 'object', required: ['name', 'jobs'], additionalProperties: false });
});

it('the schema contains the type, the default and the purpose of each field', () => {
  expect(specJsonSchema()).toMatchObject({
    properties: {
      name: { type: 'string', description: 'Name of the workflow.', examples: ['my_sweep'] },
      jobs: { type: 'array', items: { required: ['name', 'command'], additionalProperties: false } },
      variables: { type: 'object', additionalProperties: { type: 'string' } },
      use_pending_failed: { type: ['boolean', 'null'], default: false },
      env: { type: ['object', 'null'], additionalProperties: { type: 'string' } },
      execution_config: {
        properties: { mode: { type: ['string', 'null'], enum: ['direct', 'slurm', 'auto', null], default: 'direct' } },
      },
      resource_monitor: { additionalProperties: true },
      slurm_defaults: { additionalProperties: {} },
      compute_node_expiration_buffer_seconds: { deprecated: true },
    },
  });
});

it('the schema is plain JSON', () => {
  expect(JSON.parse(JSON.stringify(specJsonSchema()))).toEqual(specJsonSchema());
});
