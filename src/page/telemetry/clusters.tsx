import { useLive } from '../hooks.ts';
import { NameLink, PageSection, Shown, Time } from '../parts.tsx';
import { PageTable } from '../table.tsx';
import { connection } from '../connection.ts';
import { ClusterView } from './cluster.tsx';
import { clusterPath } from './paths.ts';

const { client } = connection;

/** The clusters whose telemetry the server keeps; of one alone, its nodes. */
export function ClustersView({ query }: { readonly query: URLSearchParams }) {
  const live = useLive('clusters', () => client.listTelemetryClusters(), 60_000);
  return (
    <Shown live={live} what="clusters">
      {({ items }) => {
        const [first] = items;
        if (items.length === 1 && first !== undefined) return <ClusterView cluster={first.name} query={query} />;
        return (
          <>
            <h1>Telemetry</h1>
            <PageSection title="Clusters">
              {items.length === 0 && (
                <p class="note">This server keeps telemetry, and no cluster was added: torc sonar clusters add NAME</p>
              )}
              {items.length > 0 && (
                <PageTable
                  label="Table of clusters"
                  rows={items}
                  keyOf={({ name }) => name}
                  columns={[
                    { title: 'Cluster', cell: ({ name }) => <NameLink href={`#${clusterPath(name)}`} name={name} /> },
                    { title: 'Nodes', kind: 'number', cell: ({ nodes }) => nodes },
                    { title: 'Newest data', kind: 'time', cell: ({ newest }) => <Time at={newest} /> },
                  ]}
                />
              )}
            </PageSection>
          </>
        );
      }}
    </Shown>
  );
}
