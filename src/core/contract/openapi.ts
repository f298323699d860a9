import * as z from 'zod';
import { AccessGroup, Membership, WorkflowAccessGroup } from './access.ts';
import { LocalScheduler, RemoteWorker, ScheduledComputeNode, SlurmStats } from './allocation.ts';
import { File, RoCrateEntity, UserData } from './artifact.ts';
import { BASE_PATH } from './base-path.ts';
import { Event } from './event.ts';
import { Job, jobStatus } from './job.ts';
import { ComputeNode } from './node.ts';
import { operationName, subjectOf } from './operations.ts';
import { ComputeNodesResources, ResourceRequirements } from './resources.ts';
import { Result } from './result.ts';
import { type Route, routes } from './routes.ts';
import { FailureHandler, SlurmScheduler, WorkflowAction } from './scheduling.ts';
import { json, queryFlag } from './shape.ts';
import { SpawnReply, SpawnRequest } from './spawn.ts';
import { Task, taskStatus } from './task.ts';
import { API_VERSION } from './version.ts';
import { Workflow } from './workflow.ts';

/**
 * Schemas that have a name in the document. The names are those of Torc 1.0.0, because generated clients name their
 * classes after them.
 */
const names: Readonly<Record<string, z.ZodType>> = {
  AccessGroupModel: AccessGroup,
  ComputeNodeModel: ComputeNode,
  ComputeNodesResources,
  EventModel: Event,
  FailureHandlerModel: FailureHandler,
  FileModel: File,
  JobModel: Job,
  JobStatus: jobStatus,
  LocalSchedulerModel: LocalScheduler,
  RemoteWorkerModel: RemoteWorker,
  ResourceRequirementsModel: ResourceRequirements,
  ResultModel: Result,
  RoCrateEntityModel: RoCrateEntity,
  ScheduledComputeNodesModel: ScheduledComputeNode,
  SlurmSchedulerModel: SlurmScheduler,
  SlurmStatsModel: SlurmStats,
  SpawnJobsRequest: SpawnRequest,
  SpawnJobsResponse: SpawnReply,
  TaskModel: Task,
  TaskStatus: taskStatus,
  UserDataModel: UserData,
  UserGroupMembershipModel: Membership,
  WorkflowAccessGroupModel: WorkflowAccessGroup,
  WorkflowActionModel: WorkflowAction,
  WorkflowModel: Workflow,
};

type Schema = Record<string, unknown>;

/** The table of routes as an OpenAPI 3.1 document. */
export function openApiDocument(): object {
  const registry = z.registry<{ id: string }>();
  for (const [id, shape] of Object.entries(names)) registry.add(shape, { id });

  const override = ({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: Schema }) => {
    if (zodSchema === queryFlag) jsonSchema['type'] = 'boolean';
    if (jsonSchema['type'] !== 'integer') return;
    // Every integer is limited to what JavaScript can represent, so the document does not repeat that limit.
    if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
    if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
    jsonSchema['format'] = 'int64';
  };
  const options = { unrepresentable: 'any', override, metadata: registry, reused: 'inline' } as const;
  const schemaOf = (shape: z.ZodType, io: 'input' | 'output'): Schema => {
    if (shape === json) return {};
    const { $schema: _, $defs: __, ...schema } = z.toJSONSchema(shape, { ...options, io });
    return referring(schema) as Schema;
  };

  const operation = (name: string, { path, params, query, body, reply, says, kind, isAccepted }: Route): object => ({
    operationId: operationName(name),
    tags: [subjectOf(path)],
    summary: says,
    parameters: [
      ...parameters('path', params === undefined ? {} : schemaOf(params, 'output')),
      ...parameters('query', query === undefined ? {} : schemaOf(query, 'output')),
    ],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } } }),
    responses: {
      200: {
        description: 'Done.',
        content: {
          [kind === 'stream' ? 'text/event-stream' : 'application/json']: { schema: schemaOf(reply, 'output') },
        },
      },
      ...(isAccepted === undefined
        ? {}
        : {
            202: {
              description: 'Under way.',
              content: { 'application/json': { schema: schemaOf(reply, 'output') } },
            },
          }),
      default: {
        description: 'Refused.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } } },
      },
    },
  });

  const paths: Record<string, Record<string, object>> = {};
  for (const [name, route] of Object.entries(routes) as [string, Route][]) {
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(name, route);
  }
  const schemas = Object.fromEntries(
    Object.entries(names).map(([id, shape]) => {
      const plain = z.registry<{ id: string }>();
      for (const [other, shapeOf] of Object.entries(names)) if (other !== id) plain.add(shapeOf, { id: other });
      const { $schema: _, $defs: __, ...schema } = z.toJSONSchema(shape, { ...options, metadata: plain, io: 'input' });
      return [id, referring(schema)];
    }),
  );
  return {
    openapi: '3.1.0',
    info: { title: 'Torc', version: API_VERSION },
    servers: [{ url: BASE_PATH }],
    paths,
    components: { schemas: { ...schemas, ErrorResponse: ERROR } },
  };
}

const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message'],
      properties: { message: { type: 'string' }, code: { type: 'string' }, remedy: { type: 'string' } },
    },
  },
};

/**
 * Replaces named schemas by references to their place in the document. A schema for any JSON value would refer to
 * itself; it becomes an empty schema instead.
 */
function referring(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(referring);
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value && String(value.$ref).startsWith('#/$defs/__')) return {};
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === '$ref' && typeof part === 'string' ? part.replace('#/$defs/', '#/components/schemas/') : referring(part),
    ]),
  );
}

function parameters(place: 'path' | 'query', { properties = {}, required = [] }: Schema): object[] {
  return Object.entries(properties as Record<string, object>).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path' || (required as string[]).includes(name),
    schema,
  }));
}
