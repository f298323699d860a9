import { CopiedCommand, PageSection } from '../parts.tsx';
import { useTelemetry } from '../telemetry-kept.ts';
import { ClusterView } from './cluster.tsx';
import { ClustersView } from './clusters.tsx';
import { ProfileView } from './job.tsx';
import { JobsView } from './jobs.tsx';
import { NodeView } from './node.tsx';

/** The view of telemetry that a path names: `/telemetry/CLUSTER/nodes/NODE`, for instance. A part of the page of its own. */
export function TelemetryView({ path, query }: { readonly path: readonly string[]; readonly query: URLSearchParams }) {
  const [cluster, kind, name] = path;
  const kept = useTelemetry();
  if (kept === false)
    return (
      <>
        <h1>Telemetry</h1>
        <PageSection title="Nothing is kept">
          <p>This server keeps no telemetry. One that is started with a store does:</p>
          <CopiedCommand text="torc-server run --sonar-store sonar.db" />
        </PageSection>
      </>
    );
  if (cluster === undefined || cluster === '') return <ClustersView query={query} />;
  if (kind === 'nodes' && name !== undefined)
    return <NodeView key={name} cluster={cluster} node={name} query={query} />;
  if (kind === 'jobs' && name !== undefined && /^\d+$/.test(name))
    return <ProfileView key={name} cluster={cluster} job={name} query={query} />;
  if (kind === 'jobs') return <JobsView key={cluster} cluster={cluster} query={query} />;
  return <ClusterView key={cluster} cluster={cluster} query={query} />;
}
