import type { Job } from '../core/contract/job.ts';
import type { Result } from '../core/contract/result.ts';
import { connection } from './connection.ts';
import { useLive } from './hooks.ts';
import { PageSection } from './parts.tsx';
import { jobPath } from './telemetry/paths.ts';
import { rangeParameters } from './telemetry/range.ts';
import { useTelemetry } from './telemetry-kept.ts';

const { client } = connection;

/** Samples come every few minutes: those around an attempt belong to it. */
const MARGIN_MS = 10 * 60_000;

/** A link to what telemetry has of the job of Slurm in which the newest attempt ran; nothing where it has none. */
export function JobProfile({ job, result }: { readonly job: Job; readonly result: Result | undefined }) {
  const isKept = useTelemetry() === true;
  const nodeId = result?.compute_node_id ?? job.compute_node_id ?? undefined;
  const live = useLive(
    `profile ${isKept} ${job.id} ${nodeId} ${result?.id}`,
    async () => (isKept && nodeId !== undefined ? await findProfile(job, result, nodeId) : undefined),
    60_000,
  );
  if (live.value === undefined) return null;
  const { address, slurmJob } = live.value;
  return (
    <PageSection title="Sonar profile">
      <p class="text">
        <a href={address}>Job {slurmJob} of Slurm</a>, in which its newest attempt ran: CPUs, memory and GPUs over time.
      </p>
    </PageSection>
  );
}

async function findProfile(job: Job, result: Result | undefined, nodeId: number) {
  const { process } = await client.getComputeNode({ params: { id: nodeId } });
  const slurmJob = process?.slurm_job_id ?? '';
  if (!/^\d+$/.test(slurmJob)) return undefined;
  const endMs = Date.parse(result?.completion_time ?? '') || Date.now();
  const startMs = result === undefined ? Date.parse(job.start_time ?? '') : endMs - result.exec_time_minutes * 60_000;
  const times = rangeParameters({ fromMs: (startMs || endMs) - MARGIN_MS, untilMs: endMs + MARGIN_MS });
  const { items: clusters } = await client.listTelemetryClusters();
  for (const { name: cluster } of clusters) {
    const { steps } = await client.getTelemetryProfile({
      query: { cluster, job: slurmJob, epoch: '0', every: 3600, ...times },
    });
    if (steps.length > 0) return { slurmJob, address: `#${jobPath(cluster, slurmJob)}?${new URLSearchParams(times)}` };
  }
  return undefined;
}
