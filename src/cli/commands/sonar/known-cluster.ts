import { suggest } from '../../../core/workflow-file/problems/suggest.ts';
import type { TelemetryRows } from '../../../telemetry/store/rows/rows.ts';
import { Failure } from '../../command/failure.ts';

/** Refuses a cluster that the store does not have: an empty answer would look like one without data. */
export async function requireCluster(rows: TelemetryRows, cluster: string | undefined): Promise<void> {
  if (cluster === undefined || (await rows.clusterNames(cluster)).length > 0) return;
  const near = suggest(cluster, await rows.clusterNames(undefined));
  const hint = near === undefined ? 'torc sonar clusters list names those that it has' : `did you mean ${near}?`;
  throw new Failure(`the store has no cluster ${cluster}; ${hint}`);
}
