import * as z from 'zod';
import { reportKinds } from '../report-kinds.ts';
import { flag, maybe, queryFlag, queryInteger, text } from '../shape.ts';
import {
  TelemetryCard,
  TelemetryCluster,
  TelemetryHours,
  TelemetryJob,
  TelemetryLoad,
  TelemetryNode,
  TelemetryProfile,
  TelemetryQueue,
  TelemetryReportLine,
  TelemetryUptime,
} from '../telemetry.ts';
import { type Route, route } from './route.ts';

/** A time such as 2026-11-22T17:00:00Z; the default is the last day. */
const window = { cluster: text.optional(), node: text.optional(), from: text.optional(), to: text.optional() };
const hours = { hourly: TelemetryHours.optional() };
/** Ids of jobs have 64 bits, more than a number holds. */
const uint = z.string().regex(/^\d{1,20}$/, 'Invalid input: expected an unsigned integer');

const ofWindow = z.object(window);
const listOf = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item), ...hours });

/**
 * The questions of `torc sonar show`, for a server that receives telemetry (additions). What senders post, and the paths of slurm-monitor, are
 * not in this table: they are others' (ADR 58).
 */
export const telemetryRoutes = {
  listTelemetryClusters: route('GET', '/sonar/show/clusters', 'own', 'user', {
    says: 'List the clusters whose telemetry the server receives (addition). A server that keeps none says so by `is_kept` and is not refused: pages ask every server.',
    reply: z.object({ items: z.array(TelemetryCluster), is_kept: maybe(flag) }),
  }),
  listTelemetryJobs: route('GET', '/sonar/show/jobs', 'own', 'user', {
    says: 'What jobs used, by telemetry, most CPU time first (addition).',
    query: ofWindow,
    reply: listOf(TelemetryJob),
  }),
  listTelemetryLoad: route('GET', '/sonar/show/load', 'own', 'user', {
    says: 'The use of each node in intervals of `every` seconds, at least 60, 3600 by default (addition).',
    query: z.object({ ...window, every: queryInteger.optional() }),
    reply: listOf(TelemetryLoad),
  }),
  getTelemetryProfile: route('GET', '/sonar/show/profile', 'own', 'user', {
    says: 'The use of a job over time, with its processes if `processes` asks for them, and the attempts at workflow jobs (addition). `epoch` is that of jobs outside of Slurm; `every` 0 gives each sample.',
    query: z.object({
      ...window,
      job: uint,
      epoch: uint.optional(),
      every: queryInteger.optional(),
      processes: queryFlag.optional(),
    }),
    reply: TelemetryProfile.extend(hours),
  }),
  listTelemetryUptime: route('GET', '/sonar/show/uptime', 'own', 'user', {
    says: 'When nodes sent samples (addition).',
    query: ofWindow,
    reply: listOf(TelemetryUptime),
  }),
  listTelemetryNodes: route('GET', '/sonar/show/nodes', 'own', 'user', {
    says: 'What nodes are, with the states of Slurm (addition).',
    query: ofWindow,
    reply: listOf(TelemetryNode),
  }),
  listTelemetryCards: route('GET', '/sonar/show/cards', 'own', 'user', {
    says: 'What cards are, and their newest state (addition).',
    query: ofWindow,
    reply: listOf(TelemetryCard),
  }),
  listTelemetryQueue: route('GET', '/sonar/show/queue', 'own', 'user', {
    says: 'What waits in partitions, and how long jobs waited (addition).',
    query: ofWindow,
    reply: listOf(TelemetryQueue),
  }),
  getTelemetryReport: route('GET', '/sonar/show/report', 'own', 'user', {
    says: 'A standing report about telemetry (addition).',
    query: z.object({ ...window, kind: z.enum(reportKinds) }),
    reply: listOf(TelemetryReportLine),
  }),
} as const satisfies Record<string, Route>;

export type TelemetryRoute = keyof typeof telemetryRoutes;
type NameIn<Path> = Path extends `/sonar/show/${infer Name}` ? Name : never;
export type TelemetryQuestion = NameIn<(typeof telemetryRoutes)[TelemetryRoute]['path']>;
export const questionOf = (name: TelemetryRoute): TelemetryQuestion =>
  telemetryRoutes[name].path.slice('/sonar/show/'.length) as TelemetryQuestion;
