import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/core/contract/openapi.ts';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';
import { testService } from '../support/service.ts';

// Torc's document is not part of this repository; where it is beside the repository, this compares with it.
const ORIGINAL = join(import.meta.dirname, '../../../shared/reference/torc/openapi.yaml');

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
}
interface Operation {
  operationId?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content?: Record<string, { schema?: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const ours = JSON.parse(JSON.stringify(openApiDocument())) as Document;
const METHODS = ['get', 'put', 'post', 'delete'];

/** Where ours differs, with the reason: what the line of a difference says. */
const EXPLAINED: readonly (readonly [RegExp, string])[] = [
  [/schedule_compute_nodes: missing$/, 'the original takes it and does not store it; unknown fields are passed over'],
  [/^DELETE \/failure_handlers\/\{\} reply\./, 'the original answers a message, not what its document says'],
  [/^DELETE \/files reply\.count: missing$/, 'the original answers deleted_count, not what its document says'],
  [/^GET \/resource_requirements query job_id: missing$/, 'the original answers 500 to it'],
  [/\/claim reply\.success: missing$/, 'the original answers claimed, not what its document says'],
];

/** What the comparison finds of one operation; each line is a difference. */
function differencesOf(name: string, mine: Operation, theirs: Operation, document: Document): string[] {
  const found: string[] = [];
  if (mine.operationId !== theirs.operationId)
    found.push(`${name}: called ${mine.operationId}, not ${theirs.operationId}`);
  const [myTags, theirTags] = [String(mine.tags), String(theirs.tags)];
  if (myTags !== theirTags) found.push(`${name}: among ${myTags}, not ${theirTags}`);
  const query = ({ parameters = [] }: Operation) =>
    new Map(parameters.filter((each) => each.in === 'query').map((each) => [each.name, each]));
  const [myQuery, theirQuery] = [query(mine), query(theirs)];
  for (const [field, { required = false }] of theirQuery) {
    const match = myQuery.get(field);
    if (match === undefined) found.push(`${name} query ${field}: missing`);
    else if (required !== (match.required ?? false))
      found.push(`${name} query ${field}: required ${String(match.required)}`);
  }
  for (const [field, { required = false }] of myQuery)
    if (required && !theirQuery.has(field)) found.push(`${name} query ${field}: required here only`);

  const body = ({ requestBody }: Operation) => requestBody?.content?.['application/json']?.schema;
  found.push(...shapeDifferences(`${name} body`, body(mine), body(theirs), document, 'request'));
  const reply = ({ responses }: Operation) => responses['200']?.content?.['application/json']?.schema;
  found.push(...shapeDifferences(`${name} reply`, reply(mine), reply(theirs), document, 'reply'));
  return found;
}

function shapeDifferences(
  place: string,
  mine: Schema | undefined,
  theirs: Schema | undefined,
  document: Document,
  side: 'request' | 'reply',
  depth = 0,
): string[] {
  if (theirs === undefined || depth > 3) return [];
  if (mine === undefined) return [`${place}: missing`];
  const [a, b] = [resolved(mine, ours), resolved(theirs, document)];
  const [mineType, theirType] = [typeOf(a), typeOf(b)];
  if (mineType !== undefined && theirType !== undefined && mineType !== theirType)
    return [`${place}: ${mineType} here, ${theirType} there`];
  if (theirType === 'array') return shapeDifferences(`${place}[]`, a.items, b.items, document, side, depth + 1);
  const found: string[] = [];
  for (const [field, schema] of Object.entries(b.properties ?? {})) {
    const match = a.properties?.[field];
    if (match === undefined) {
      if (a.properties !== undefined) found.push(`${place}.${field}: missing`);
      continue;
    }
    found.push(...shapeDifferences(`${place}.${field}`, match, schema, document, side, depth + 1));
  }
  if (side === 'request')
    for (const field of a.required ?? [])
      if (!(b.required ?? []).includes(field)) found.push(`${place}.${field}: required here only`);
  return found;
}

/** The schema behind references, and behind "this or null". */
function resolved(schema: Schema, document: Document): Schema {
  if (schema.$ref !== undefined) {
    const target = document.components.schemas[schema.$ref.split('/').at(-1) as string];
    return target === undefined ? {} : resolved(target, document);
  }
  const choices = (schema.anyOf ?? schema.oneOf ?? schema.allOf)?.filter(({ type }) => type !== 'null');
  return choices?.length === 1 ? resolved(choices[0] as Schema, document) : schema;
}

function typeOf({ type, properties }: Schema): string | undefined {
  const [only, ...others] = [type ?? (properties === undefined ? [] : 'object')]
    .flat()
    .filter((each) => each !== 'null');
  return others.length === 0 ? only : undefined;
}

const plain = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');

describe('the OpenAPI document', () => {
  it('the OpenAPI document is served, and has every route with what it takes and answers', async () => {
    const { app } = testService();
    const response = await app.request(`${BASE_PATH}/openapi.json`);
    const served = (await response.json()) as Document;
    expect(served).toEqual(ours);
    const { get } = served.paths['/jobs/{id}'] as Record<string, Operation>;
    expect(get?.parameters).toEqual([
      { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } },
    ]);
    expect(get?.responses['200']?.content?.['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/JobModel',
    });
  });

  it('the OpenAPI document has no reference that leads nowhere', () => {
    const references = [...JSON.stringify(ours).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name as string,
    );
    expect(references.length).toBeGreaterThan(50);
    expect(references.filter((name) => ours.components.schemas[name] === undefined)).toEqual([]);
    expect(JSON.stringify(ours)).not.toMatch(/\$defs|"\$ref":"#"/);
  });

  it.skipIf(!existsSync(ORIGINAL))('has all that the original’s has, but for what is explained', () => {
    const original = load(readFileSync(ORIGINAL, 'utf8')) as Document;
    const mine = new Map(
      Object.entries(ours.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${plain(path)}`, operation]),
      ),
    );
    const found = Object.entries(original.paths).flatMap(([path, methods]) =>
      METHODS.filter((method) => methods[method] !== undefined).flatMap((method) => {
        const name = `${method.toUpperCase()} ${plain(path)}`;
        const operation = mine.get(name);
        if (operation === undefined) return [name];
        return differencesOf(name, operation, methods[method] as Operation, original);
      }),
    );
    expect(found.filter((line) => !EXPLAINED.some(([says]) => says.test(line)))).toEqual([]);
    // An explanation of nothing is out of date.
    expect(EXPLAINED.filter(([says]) => !found.some((line) => says.test(line)))).toEqual([]);
  });
});
