import type { Client } from '../../client/client.ts';
import { knownJob } from '../../client/compat/known.ts';
import { hasBatch, openBatch } from '../../cluster/open-batch.ts';
import { hostFacts } from '../../cluster/host/facts.ts';
import { marksOfRunners, waitsHere } from '../../cluster/share/holders.ts';
import { isLostHere } from '../../cluster/host/lost-here.ts';
import { licenseNamed } from '../../core/allocation/cluster-licenses.ts';
import { heldLicenses } from '../../core/job/amounts.ts';
import type { KnownJob } from '../../core/contract/known.ts';
import type { HpcPartition } from '../../hpc/profile.ts';
import type { JobFacts } from '../../core/lifecycle/explain/job-facts.ts';
import { factsOfJob } from '../../core/lifecycle/explain/known-job.ts';
import { placeOf } from '../../core/lifecycle/explain/place.ts';
import { queuedAllocations } from '../submit/queued-allocations.ts';
import { unbegunAllocations } from '../submit/unbegun-allocations.ts';
import { shortageWords } from '../../core/attempt/full-disk.ts';
import { currentEndOf } from '../../core/lifecycle/explain/known-job.ts';

export interface Here {
  readonly nowMs: number;
  /** With the programs of Slurm on its PATH, allocations that wait are asked about. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The partitions of the site, if one is known; asked only for a job that waits for an allocation. */
  readonly partitions?: (() => Promise<readonly HpcPartition[] | undefined>) | undefined;
  /** The user is on another machine than this one, whose resources say nothing. */
  readonly isAway?: boolean;
}

/** All facts that explain the status of a job: what the server knows, and what this machine and its Slurm add. */
export async function gatherFacts(
  client: Client,
  id: number,
  { nowMs, environment, partitions, isAway = false, outputDir }: Here & { readonly outputDir?: string | undefined },
): Promise<{ readonly facts: JobFacts; readonly known: KnownJob }> {
  const known = await knownJob(client, id);
  const isReady = known.job.status === 'ready';
  const waitsForRunner = isReady && known.of.runners.length === 0;
  const { runsIn } = placeOf(known.of);
  const facts = factsOfJob(known, {
    nowMs,
    isLost: isLostHere,
    waitsHere: isAway ? [] : waitsHere(environment, marksOfRunners([...known.of.runners, ...known.nodes])),
    outputCut: await cutOutputOf(client, known),
    queued: waitsForRunner ? await queuedAllocations(known.of.allocations, environment) : [],
    clusterLicenses: isReady && !isAway ? await licensesOf(known, environment) : [],
    unbegun:
      waitsForRunner && runsIn === 'allocations'
        ? await unbegunAllocations(client, known.of.workflow.id as number, { environment, outputDir }).catch(() => [])
        : [],
    partitions: isReady && runsIn === 'allocations' ? await partitions?.() : undefined,
    here: isReady && runsIn === 'anywhere' && !isAway ? roomHere() : undefined,
  });
  return { facts, known };
}

/** A person waits for the answer. */
const AT_MOST_MS = 3_000;

/** The licenses of the batch system of this machine that the job holds as it runs. */
async function licensesOf(
  { job, requirements }: KnownJob,
  environment: Here['environment'],
): Promise<NonNullable<JobFacts['clusterLicenses']>> {
  const held = Object.entries(heldLicenses(job.licenses, requirements.licenses));
  if (held.length === 0 || !hasBatch(environment)) return [];
  const cluster = await openBatch(environment, { atMostMs: AT_MOST_MS })
    .licenses()
    .catch(() => []);
  return held.flatMap(([name, needs]) => {
    const found = licenseNamed(name, cluster);
    return found === undefined ? [] : [{ ...found, needs }];
  });
}

/** What a runner would have that a person starts here without options. */
function roomHere(): JobFacts['here'] {
  const { hostname, cpus, memoryBytes, gpus } = hostFacts();
  const room = { cpus, memoryBytes, gpus, nodes: 1, labels: [], schedulerId: null, isStrict: false, countsJobs: false };
  return { hostname, room: { ...room, time: undefined } };
}

/** Events of runners are few; of a workflow with many the newest count. */
const MOST_EVENTS = 100;

/** Whether the runner of the last attempt of a job found no room for its output: it says so at its end, with the names of some jobs. */
async function cutOutputOf(client: Client, known: KnownJob): Promise<JobFacts['outputCut']> {
  const { result } = currentEndOf(known);
  if (result === undefined) return undefined;
  const query = { workflow_id: result.workflow_id, category: 'output_cut', limit: MOST_EVENTS };
  const { items } = await client.listEvents({ query: { ...query, sort_by: 'timestamp', reverse_sort: true } });
  for (const { data } of items) {
    const { compute_node_id: node, job_names: names, lacking, folder } = data as Record<string, unknown>;
    const isNamed = Array.isArray(names) && names.includes(known.job.name);
    if (node === result.compute_node_id && isNamed)
      return { why: shortageWords(String(lacking)), folder: String(folder) };
  }
  return undefined;
}
