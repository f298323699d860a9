import * as z from 'zod';
import { flag, id, integer, maybe, number, text } from '../contract/shape.ts';

/**
 * What `torc remote` and the program on a host say to each other over ssh.
 *
 * The request is JSON on standard input, because it contains the credential: arguments are visible to other users. It is sent when the
 * program has said that it is ready, so that no other program reads it, and its length precedes it. The reply is one line of standard
 * output, marked, because shells of users print text of their own before it.
 */

/** How the host reaches the service. */
const RemoteService = z.object({
  url: text,
  user: text,
  password: maybe(text),
  cookie: maybe(text),
  /** Certificates to trust, as PEM. */
  certificates: maybe(text),
  insecure: flag,
});

/** The options of the runner, as `torc run` has them. */
const RemoteRunner = z.object({
  num_cpus: maybe(integer),
  memory_gb: maybe(number),
  num_gpus: maybe(integer),
  max_parallel_jobs: maybe(integer),
  poll_interval: maybe(number),
  labels: z.array(text),
  log_level: text,
});

const common = {
  /** The version of the program that asks. */
  version: text,
  workflow_id: id,
  /** Relative to the folder in which the program runs. */
  output_dir: text,
};

export const HostRequest = z.discriminatedUnion('task', [
  z.object({
    task: z.literal('start'),
    ...common,
    /** The name with which the user reaches the host. */
    host: text,
    service: RemoteService,
    /** It identifies the server: another one on the host may have the same address. */
    workflow: z.object({ name: text, timestamp: maybe(text) }),
    runner: RemoteRunner,
    /** The umask, in octal, under which the output folder is made. */
    umask: text,
    skip_version_check: flag,
  }),
  z.object({ task: z.literal('state'), ...common }),
  z.object({
    task: z.literal('stop'),
    ...common,
    service: RemoteService,
    /** Kill the runner, and then the processes that its jobs leave. */
    force: flag,
    wait_seconds: number,
  }),
  z.object({ task: z.literal('recover'), ...common, service: RemoteService }),
  z.object({
    task: z.literal('pack'),
    ...common,
    host: text,
    /** The part that was fetched before. */
    have: maybe(z.object({ size: integer, sha256: text })),
  }),
  z.object({ task: z.literal('unpack'), ...common, host: text }),
  z.object({
    task: z.literal('delete'),
    ...common,
    /** Delete what was packed for this host and did not change since. */
    packed_for: maybe(text),
    /** Delete all, also if a collection of the logs did not end. */
    uncollected: maybe(flag),
  }),
]);
export type HostRequest = z.output<typeof HostRequest>;
export type HostTask = HostRequest['task'];
export type HostRequestOf<Task extends HostTask> = Extract<HostRequest, { task: Task }>;

/** How a runner ended. */
export const WorkerEnd = z.object({
  at: text,
  exit_code: integer,
  ending: text,
  completed: integer,
  failed: integer,
  terminated: integer,
  reason: maybe(text),
});
export type WorkerEnd = z.output<typeof WorkerEnd>;

/** The file that a runner on a host keeps about itself, in its output folder. */
export const WorkerState = z.object({
  workflow_id: id,
  /** The name with which the user reached the host. */
  host: text,
  hostname: text,
  pid: integer,
  boot_id: maybe(text),
  pid_namespace: maybe(text),
  start_ticks: maybe(integer),
  machine_id: maybe(text),
  hardware_ids: maybe(z.array(text)),
  version: text,
  url: text,
  started_at: text,
  log: text,
  ended: maybe(WorkerEnd),
});
export type WorkerState = z.output<typeof WorkerState>;

const runnerFacts = { pid: integer, started_at: text, log: text };

export const HostReply = z.discriminatedUnion('is', [
  z.object({
    is: z.literal('started'),
    ...runnerFacts,
    compute_node_id: id,
    num_cpus: integer,
    memory_gb: number,
    num_gpus: integer,
  }),
  z.object({ is: z.literal('running'), ...runnerFacts }),
  z.object({ is: z.literal('ended'), ...runnerFacts, ended: WorkerEnd }),
  z.object({ is: z.literal('gone'), ...runnerFacts, rebooted: flag }),
  z.object({ is: z.literal('unknown'), ...runnerFacts }),
  /** No runner of this workflow was started here. */
  z.object({ is: z.literal('none') }),
  z.object({ is: z.literal('stopped'), pid: integer, killed: flag }),
  z.object({ is: z.literal('ending'), pid: integer }),
  /** `notes`: what became of each lost runner, or why nothing could be done. */
  z.object({ is: z.literal('recovered'), runners: integer, notes: z.array(text).optional() }),
  z.object({
    is: z.literal('packed'),
    path: text,
    size: integer,
    sha256: text,
    files: integer,
    /** The part that the asker has is the beginning of this pack. */
    continues: flag,
  }),
  z.object({ is: z.literal('deleted'), files: integer }),
  /** `code`: what is wrong, for programs. */
  z.object({ is: z.literal('refused'), code: text, message: text }),
]);
export type HostReply = z.output<typeof HostReply>;

/** A reply with the program that gives it. */
export const HostMessage = z.object({ version: text, hostname: text, now_ms: number, reply: HostReply });
export type HostMessage = z.output<typeof HostMessage>;

/** What the program says before it reads the request. It is computed from a number of the asker: to print the arguments is not enough. */
export const readyLine = (challenge: string): string =>
  `TORC_REMOTE_READY=${Array.from(challenge).toReversed().join('')}\n`;

const MARK = 'TORC_REMOTE=';

export const hostLine = (message: HostMessage): string => `${MARK}${JSON.stringify(message)}\n`;

/** The message in the output of a host; undefined if there is none that this version understands. */
export function messageIn(output: string): HostMessage | undefined {
  const line = output.split('\n').findLast((each) => each.includes(MARK));
  if (line === undefined) return undefined;
  try {
    return HostMessage.safeParse(JSON.parse(line.slice(line.indexOf(MARK) + MARK.length))).data;
  } catch {
    return undefined;
  }
}
