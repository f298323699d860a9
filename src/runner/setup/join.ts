import { type Client, createClient } from '../../client/client.ts';
import { pause } from '../../client/long-timers.ts';
import { patiently } from '../../client/retry.ts';
import type { RunnerOptions } from '../facts/options.ts';
import { type RunnersAllocation, findRecord } from './allocation-record.ts';
import { type Registered, register } from './register.ts';
import { type ServerKind, serverKind } from './server-kind.ts';

const MINUTE_MS = 60_000;
/**
 * How long setup waits for a server that is away. A user at a terminal should learn of an outage soon; an allocation was
 * waited for and is not given up so fast.
 */
const SETUP_PATIENCE_MS = { local: MINUTE_MS, slurm: 20 * MINUTE_MS };

/** A runner that belongs to its workflow, before it does anything for it. */
export interface Joined {
  /** Completed from the allocation. */
  readonly options: RunnerOptions;
  readonly record: RunnersAllocation;
  readonly registered: Registered;
  readonly server: ServerKind;
  /** A client that waits for a server that is away: for the time before and after the jobs. */
  readonly patient: Client;
}

/** Finds the record of the allocation, registers the runner, and learns which kind of server it talks to. */
export async function join(given: RunnerOptions, startedAtMs: number): Promise<Joined> {
  const patient = patientClient(given, SETUP_PATIENCE_MS[given.computeNodeType]);
  const record = await findRecord(patient, given);
  const { options } = record;
  const registered = await register(patient, options, startedAtMs);
  const { workflow, node, nodeId, run } = registered;
  const { workflowId, runId, log } = run;
  options.onRegistered?.({ nodeId, cpus: node.num_cpus, memoryGb: node.memory_gb, gpus: node.num_gpus });
  await record.becomes('active', log);
  const server = await serverKind({
    client: createClient(given.connection.send),
    patient,
    workflowId,
    runId,
    nodeId,
    node,
    waitForNewJobsSeconds: workflow.compute_node_wait_for_new_jobs_seconds,
    log,
  });
  return { options, record, registered, server, patient };
}

/** Requests of this client wait so long for a server that is away. While jobs run, the conversation does. */
export const patientClient = ({ connection, onNotice }: RunnerOptions, patienceMs: number): Client =>
  createClient(patiently(connection.send, { patienceMs, now: () => performance.now(), wait: pause, onAway: onNotice }));
