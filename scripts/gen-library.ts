/**
 * The declarations of the library, in one file without imports: who uses it needs none of what it is made of. Calls and
 * models are printed from the OpenAPI document, the rest stands here and is held against the sources by a test.
 */
import { streamEvents } from '../src/core/contract/event.ts';
import { openApiDocument } from '../src/core/contract/openapi.ts';
import { type Route, routes } from '../src/core/contract/routes.ts';
import { write } from './write-generated.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

interface Operation {
  readonly parameters: readonly { name: string; in: 'path' | 'query'; required: boolean; schema: Schema }[];
  readonly requestBody?: { content: { 'application/json': { schema: Schema } } };
  readonly responses: { 200: { content: Record<string, { schema: Schema }> } };
}

const document = openApiDocument() as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Records have two types: as a request creates them, and as the service replies with them, with an id. */
const nameOf = (model: string) => model.replace(/Model$/, '');
const newNameOf = (model: string) => (isRecord(model) ? `New${nameOf(model)}` : nameOf(model));
function isRecord(model: string): boolean {
  const { properties, required = [] } = document.components.schemas[model] ?? {};
  return model.endsWith('Model') && properties?.['id'] !== undefined && !required.includes('id');
}

type Naming = typeof nameOf;

function typeOf(schema: Schema, named: Naming): string {
  if (schema.$ref !== undefined) return named(schema.$ref.replace('#/components/schemas/', ''));
  if (schema.enum !== undefined) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const several = schema.anyOf ?? schema.oneOf;
  if (several !== undefined) return [...new Set(several.map((each) => typeOf(each, named)))].join(' | ');
  if (schema.allOf !== undefined) return schema.allOf.map((each) => typeOf(each, named)).join(' & ');
  if (Array.isArray(schema.type))
    return schema.type.map((type: string) => typeOf({ ...schema, type }, named)).join(' | ');
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return arrayOf(typeOf(schema.items ?? {}, named));
    case 'object':
      return objectOf(schema, named);
    case undefined:
      return 'Json';
    default:
      return schema.type as string;
  }
}

const arrayOf = (type: string) => (/[ |&]/.test(type) && !type.startsWith('{') ? `(${type})[]` : `${type}[]`);

function objectOf({ properties, required = [], additionalProperties: others }: Schema, named: Naming): string {
  if (properties === undefined) return `Record<string, ${typeof others === 'object' ? typeOf(others, named) : 'Json'}>`;
  return fieldsOf(
    Object.entries(properties).map(([name, schema]) => [name, required.includes(name), typeOf(schema, named)]),
  );
}

function fieldsOf(fields: readonly (readonly [name: string, isRequired: boolean, type: string])[]): string {
  const lines = fields.map(([name, isRequired, type]) => {
    const key = /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
    return isRequired ? `${key}: ${type};` : `${key}?: ${type} | undefined;`;
  });
  return `{${lines
    .map((line) => `\n${line}`)
    .join('')
    .replaceAll('\n', '\n  ')}\n}`;
}

function callOf(name: string, { method, path, says }: Route): string {
  const operation = document.paths[path]?.[method.toLowerCase()] as Operation;
  const parts = (['path', 'query'] as const).flatMap((place) => {
    const fields = operation.parameters.filter((each) => each.in === place);
    if (fields.length === 0) return [];
    const isRequired = fields.some(({ required }) => required);
    const type = fieldsOf(fields.map((each) => [each.name, each.required, typeOf(each.schema, newNameOf)]));
    return [[place === 'path' ? 'params' : 'query', isRequired, type] as const];
  });
  const body = operation.requestBody?.content['application/json'].schema;
  if (body !== undefined) parts.push(['body' as 'query', true, typeOf(body, newNameOf)]);
  const isNeeded = parts.some(([, isRequired]) => isRequired);
  const reply = typeOf(operation.responses[200].content['application/json']?.schema ?? {}, nameOf);
  const call = `readonly ${name}: (call${isNeeded ? '' : '?'}: ${fieldsOf(parts)}) => Promise<${reply}>;`;
  return `  /** ${says} */\n  ${call.replaceAll('\n', '\n  ')}`;
}

const declarationOf = (name: string, type: string) =>
  type.startsWith('{') ? `export interface ${name} ${type}` : `export type ${name} = ${type};`;

const models = Object.entries(document.components.schemas).flatMap(([model, schema]) => {
  if (!isRecord(model)) return [declarationOf(nameOf(model), typeOf(schema, nameOf))];
  const { id: _, ...properties } = schema.properties ?? {};
  return [
    declarationOf(newNameOf(model), typeOf({ ...schema, properties }, newNameOf)),
    `export interface ${nameOf(model)} extends ${newNameOf(model)} {\n  id: number;\n}`,
  ];
});
const calls = (Object.entries(routes) as [string, Route][])
  .filter(([, { kind }]) => kind !== 'stream')
  .map(([name, route]) => callOf(name, route));

write(
  'api/torc.d.ts',
  `// Made by scripts/gen-library.ts from the table of routes: what \`import … from 'torc'\` gives.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

${models.join('\n\n')}

export interface TorcClientOptions {
  /** With the base path, \`http://host:8080/torc-service/v1\`; default: TORC_API_URL. */
  readonly url?: string | undefined;
  /** Default: TORC_USERNAME. */
  readonly username?: string | undefined;
  /** Default: TORC_PASSWORD; without a password no login is sent. */
  readonly password?: string | undefined;
  /** Sent unchanged, for proxies that require a cookie. */
  readonly cookie?: string | undefined;
  /** Trusted certificates in addition to the system's, as PEM. */
  readonly certificates?: string | undefined;
  /** Accept any certificate. */
  readonly insecure?: boolean | undefined;
}

export interface EventsOptions {
  /** Minimum severity; the default is info. */
  readonly level?: 'debug' | 'info' | 'warning' | 'error' | undefined;
  /** Only these types, regardless of their severity. */
  readonly types?: readonly StreamEventType[] | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
}

export type StreamEventType =
${Object.keys(streamEvents)
  .map((name) => `  | '${name}'`)
  .join('\n')};

/** One event of the stream of a workflow; \`timestamp\` in Unix milliseconds. */
export interface WorkflowEvent {
  workflow_id: number;
  timestamp: number;
  event_type: StreamEventType;
  severity: 'debug' | 'info' | 'warning' | 'error';
  data: Json;
}

export interface CreateOptions {
  /** The owner of the workflow; by default the user of the client. */
  readonly user?: string | undefined;
  /** Warnings about ignored keys and unknown names become errors. */
  readonly strict?: boolean | undefined;
}

export interface RunOptions {
  /** The folder for job output and logs; default \`torc_output\`. */
  readonly outputDir?: string | undefined;
  /** Runs this many jobs at once and ignores their requirements. */
  readonly maxParallelJobs?: number | undefined;
  /** What it offers to jobs; by default all of this machine. */
  readonly cpus?: number | undefined;
  readonly memoryGb?: number | undefined;
  readonly gpus?: number | undefined;
  /** Jobs of an earlier run that are made ready again first: none by default. */
  readonly again?: 'none' | 'interrupted' | 'failed' | undefined;
  /** Asks the jobs to end; a runner that ended them resolves with the ending \`stopped\`. */
  readonly signal?: AbortSignal | undefined;
}

/** How a run on this machine ended, with the jobs that ended in it. */
export interface RunEnd {
  readonly ending:
    | 'complete'
    | 'canceled'
    | 'superseded'
    | 'chosen'
    | 'unreachable'
    | 'behind'
    | 'idle'
    | 'stuck'
    | 'stopped'
    | 'deadline'
    | 'unable';
  readonly completed: number;
  readonly failed: number;
  readonly terminated: number;
}

export interface OutputOptions {
  /** Default: \`stdout\`. */
  readonly stream?: 'stdout' | 'stderr' | undefined;
  /** By default the newest run and attempt. */
  readonly run?: number | undefined;
  readonly attempt?: number | undefined;
  /** Where the output folder is looked for beside the one that the runner registered; default \`torc_output\`. */
  readonly outputDir?: string | undefined;
}

export interface RecoverOptions {
  /** Factor by which memory and CPUs are raised for jobs that had too little; default 1.5. */
  readonly memoryMultiplier?: number | undefined;
  /** The same for runtime. */
  readonly runtimeMultiplier?: number | undefined;
  /** Also runs jobs again that failed for a reason which may come back. */
  readonly retryUnknown?: boolean | undefined;
  /** The output folder of the runners; default \`torc_output\`. */
  readonly outputDir?: string | undefined;
}

/** What a recovery did. */
export interface RecoverEnd {
  /** Jobs that are ready again. */
  readonly reset: number;
  /** Allocations that were submitted. */
  readonly submitted: number;
  /** Jobs that failed and were left as they are. */
  readonly left: number;
}

export interface Calls {
${calls.join('\n')}
}

/** A Torc server: each route is a method that takes \`{ params, query, body }\` and returns the reply. */
export interface TorcClient extends Calls {
  /**
   * Creates a workflow from the path of a file, or from an object with the keys of a workflow file, and returns its id.
   * One with errors is thrown as \`InvalidWorkflow\`, and nothing is created.
   */
  create(workflow: string | object, options?: CreateOptions): Promise<number>;
  /** Runs jobs of a workflow on this machine until no work is left; one that never ran is initialized first. */
  run(workflowId: number, options?: RunOptions): Promise<RunEnd>;
  /**
   * The events of a workflow until its last job has ended, or until it is canceled or deleted. A workflow that has ended
   * already has none. A program that starts to wait misses no later event, but earlier ones are not repeated.
   */
  wait(workflowId: number, options?: EventsOptions): AsyncGenerator<WorkflowEvent>;
  /** What a job printed, in its newest attempt. It is read from a file: on the host of the job, or on a shared file system. */
  output(jobId: number, options?: OutputOptions): Promise<string>;
  /**
   * Recovers a workflow after failures: finds the cause of each, raises what was missing, makes jobs ready again that may
   * succeed now, and submits allocations where the workflow has Slurm schedulers. Others are run again by \`run\`.
   */
  recover(workflowId: number, options?: RecoverOptions): Promise<RecoverEnd>;
  /**
   * The events of a workflow, from now on and until the signal. A broken connection is opened again after the last
   * event, so no event is missed and none arrives twice.
   */
  events(workflowId: number, options?: EventsOptions): AsyncGenerator<WorkflowEvent>;
  /** Closes the connections. */
  close(): void;
  /** The same at the end of a block: \`await using torc = new TorcClient()\`. */
  [Symbol.asyncDispose](): Promise<void>;
}
export const TorcClient: new (options?: TorcClientOptions) => TorcClient;

/** The service refused or failed: \`status\` is that of HTTP, \`code\` names the refusal, \`remedy\` says what to do. */
export class ServiceError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly remedy: string | undefined;
  readonly text: string;
  constructor(doing: string, response: { readonly status: number; readonly text: string });
}

/** A use case of the library refused, before or after requests: \`code\` names the refusal, \`remedy\` says what to do. */
export interface Refusal extends Error {
  readonly code: string;
  readonly status: number;
  readonly remedy: string;
}
export const Refusal: abstract new (...args: never[]) => Refusal;

/** A workflow with errors, each with its place; nothing was created. */
export interface InvalidWorkflow extends Error {
  readonly problems: readonly Problem[];
}
export const InvalidWorkflow: abstract new (...args: never[]) => InvalidWorkflow;

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly file: string;
  /** Counted from 1. */
  readonly line?: number;
  readonly column?: number;
  /** \`jobs[3].depends_on[0]\`; empty for the file as a whole. */
  readonly path: string;
}

/** There was no reply, so it is unknown whether the request was executed. */
export class Unreachable extends Error {
  constructor(message: string, options?: { cause?: unknown });
}

interface Range {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}
type Fetch<Item> = (paging: { offset: number; limit: number }) => Promise<{ items: Item[]; has_more: boolean }>;

/** All items of a list, fetched a page at a time: \`every((paging) => torc.listJobs({ query: { workflow_id, ...paging } }))\`. */
export function every<Item>(fetch: Fetch<Item>, range?: Range): AsyncGenerator<Item>;
/** The same as an array. */
export function all<Item>(fetch: Fetch<Item>, range?: Range): Promise<Item[]>;
`,
);
