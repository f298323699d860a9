import * as z from 'zod';
import { flag, integer, number } from './shape.ts';

/**
 * Answers to questions about telemetry, as `torc sonar show` prints them as JSON: times are timestamps in UTC, amounts of memory are KB, and
 * percentages are of one core or one card. Numbers of 64 bits have all their digits. Absent and null mean that it is unknown.
 */

const time = z.string();
const unknown = <Shape extends z.ZodType>(shape: Shape) => shape.nullish();

export const TelemetryCluster = z.object({
  name: z.string(),
  nodes: integer,
  envelopes: integer,
  newest: unknown(time),
});
export type TelemetryCluster = z.output<typeof TelemetryCluster>;

export const TelemetryJob = z.object({
  cluster: z.string(),
  job: number,
  /** 0 for jobs of Slurm. */
  epoch: number,
  user: z.string(),
  nodes: z.array(z.string()),
  first: time,
  last: time,
  samples: integer,
  commands: z.array(z.string()),
  /**
   * Used within the window: what the job had used at the first sample of its node is not counted, as it is unknown when it
   * did.
   */
  cpu_seconds: number,
  /** Average in percent of one core; of a job that was seen once, over the lives of its processes. */
  cpu_percent: number,
  /** The greatest sum over the nodes at one time, here and below. Of hours without samples, the sum of the peaks of the nodes. */
  peak_cpu_percent: number,
  peak_memory_kb: number,
  cards: z.array(z.string()),
  /** Average in percent of one card: what the samples of a node say on average counts as long as the job was there. */
  gpu_percent: number,
  peak_gpu_memory_kb: number,
  state: z.string(),
  name: z.string(),
  partition: z.string(),
  account: z.string(),
});
export type TelemetryJob = z.output<typeof TelemetryJob>;

export const TelemetryLoad = z.object({
  cluster: z.string(),
  node: z.string(),
  /** Begin of the interval. */
  time,
  samples: integer,
  cores: integer,
  /** Percent of one core, and of all cores of the node. Unknown behind a boot or a long gap, and at the first sample. */
  cpu_percent: unknown(number),
  cpu_of_node_percent: unknown(number),
  used_memory_kb: number,
  /** Unknown where no sysinfo of the node says how much it has. */
  memory_of_node_percent: unknown(number),
  load1: number,
  cards: number,
  gpu_percent: unknown(number),
  gpu_memory_kb: number,
});
export type TelemetryLoad = z.output<typeof TelemetryLoad>;

/** A process of a job over its life; `depth` is 0 for one whose parent is not in the job. */
const ProcessUse = z.object({
  node: z.string(),
  pid: z.string(),
  ppid: z.string(),
  cmd: z.string(),
  depth: integer,
  first: time,
  last: time,
  cpu_seconds: number,
  peak_memory_kb: number,
});

export const TelemetryProfile = z.object({
  every_seconds: integer,
  steps: z.array(
    z.object({
      time,
      node: z.string(),
      processes: number,
      cpu_percent: number,
      /** What was used since the sample before, as far as it is known. */
      cpu_seconds: number,
      memory_kb: number,
      gpu_percent: number,
      gpu_memory_kb: number,
    }),
  ),
  processes: z.array(ProcessUse).optional(),
  node_imbalance_percent: z.number().optional(),
  attempts: z.array(
    z.object({ cluster: z.string(), workflow: integer, workflow_job: integer, run: integer, attempt: integer }),
  ),
});
export type TelemetryProfile = z.output<typeof TelemetryProfile>;
export type ProfileStep = TelemetryProfile['steps'][number];
export type ProcessUse = z.output<typeof ProcessUse>;
/** An attempt at a workflow job that ran in the job of a profile. */
export type ProfileAttempt = TelemetryProfile['attempts'][number];

export const TelemetryUptime = z.object({
  cluster: z.string(),
  node: z.string(),
  state: z.enum(['up', 'down']),
  from: time,
  until: time,
  samples: integer,
  /** The node was booted since the span before. */
  is_booted: flag,
});

export const TelemetryNode = z.object({
  cluster: z.string(),
  node: z.string(),
  cores: number,
  memory_kb: number,
  cards: integer,
  model: z.string(),
  system: z.string(),
  /** As Slurm says, such as MIXED or DRAIN. */
  states: z.array(z.string()),
  partitions: z.array(z.string()),
  /** Time of the newest sample. */
  sampled: unknown(time),
});
export type TelemetryNode = z.output<typeof TelemetryNode>;

export const TelemetryCard = z.object({
  cluster: z.string(),
  node: z.string(),
  index: number,
  uuid: z.string(),
  model: z.string(),
  memory_kb: number,
  used_memory_kb: number,
  util_percent: number,
  temperature: number,
  power_watts: number,
  performance_state: unknown(number),
  failing: number,
  time: unknown(time),
});

export const TelemetryQueue = z.object({
  cluster: z.string(),
  partition: z.string(),
  pending: integer,
  /** Of those that are pending. */
  held: integer,
  running: integer,
  oldest_pending_seconds: unknown(number),
  started: integer,
  median_wait_seconds: unknown(number),
  longest_wait_seconds: unknown(number),
  finished: integer,
  failed: integer,
});

/** One line of any report; what a report does not have is absent. */
export const TelemetryReportLine = z.object({
  cluster: z.string(),
  subject: z.string(),
  user: z.string().optional(),
  node: z.string().optional(),
  jobs: z.int().optional(),
  cpu_hours: z.number().optional(),
  gpu_hours: z.number().optional(),
  memory_kb: z.number().optional(),
  gpu_memory_kb: z.number().optional(),
  percent: z.number().optional(),
  first: time,
  last: time,
  /** Why it is in the report. */
  reason: z.string(),
});

/** The part of the window in which samples are deleted and only hourly figures are left. */
export const TelemetryHours = z.object({ from: time, until: time });
export type TelemetryHours = z.output<typeof TelemetryHours>;
