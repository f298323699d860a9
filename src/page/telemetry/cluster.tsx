import { sizeText } from '../../core/quantity/size-text.ts';
import { useLive } from '../hooks.ts';
import { Choices, NameLink, PageSection, SearchField, Shown, Time } from '../parts.tsx';
import { replaceQuery } from '../query.ts';
import { type TableColumn, PageTable } from '../table.tsx';
import { connection } from '../connection.ts';
import {
  loadWords,
  type LoadMeasure,
  LOAD_MEASURES,
  loadMeasureWords,
  type NodeLoadOverTime,
  nodeLoads,
} from './cluster-load.ts';
import { Frame, Hourly, roundPercentText } from './frame.tsx';
import { clusterPath, nodePath } from './paths.ts';
import { HeatMap, hourText, shortName } from './heat-map.tsx';
import { RangeControl } from './range-control.tsx';
import { rangeParameters, type Range, rangeOf, sampleStepSeconds } from './range.ts';

const { client } = connection;

/** The nodes of a cluster, by the hour and in figures. What is shown stands in the address. */
export function ClusterView({ cluster, query }: { readonly cluster: string; readonly query: URLSearchParams }) {
  const range = rangeOf(query, Date.now());
  const measure = LOAD_MEASURES.find((each) => each === query.get('measure')) ?? 'cpu';
  const stepMs = sampleStepSeconds(range, [3600, 2 * 3600, 4 * 3600, 12 * 3600]) * 1000;
  const live = useLive(
    `load ${cluster} ${query.get('from')} ${query.get('to')} ${query.get('span')}`,
    async () => {
      // The range of an address that ends now goes on.
      const now = rangeOf(query, Date.now());
      const asked = { cluster, ...rangeParameters(now) };
      const [nodes, load] = await Promise.all([
        client.listTelemetryNodes({ query: asked }),
        // A column that began before the range is shown whole.
        client.listTelemetryLoad({
          query: { ...asked, ...rangeParameters(withWholeSteps(now, stepMs)), every: stepMs / 1000 },
        }),
      ]);
      return { facts: nodes.items, load: load.items, hourly: load.hourly, range: now };
    },
    60_000,
  );
  // Where there is one cluster, the address of all shows it: a link names it.
  const path = clusterPath(cluster);
  const filter = (name: string, value: string) => replaceQuery({ [name]: value }, path);
  return (
    <>
      <Frame cluster={cluster} shown="nodes" title={cluster} />
      <PageSection
        title={stepMs === 3_600_000 ? 'Nodes by the hour' : `Nodes by ${stepMs / 3_600_000} hours`}
        aside={
          <Choices
            label="Show"
            of={LOAD_MEASURES}
            shown={measure}
            words={(each) => loadMeasureWords[each]}
            choose={(each) => filter('measure', each)}
          />
        }
      >
        <RangeControl range={range} path={path} spans={['24h', '3d', '7d', '30d']} />
        <SearchField
          label="Node"
          value={query.get('node') ?? ''}
          placeholder="any part"
          set={(value) => filter('node', value)}
        />
        <Shown live={live} what="nodes">
          {({ facts, load, hourly, range: shown }) => {
            const found = nodeLoads(facts, load, { measure, ...shown, stepMs });
            const nodes = found.nodes.filter(({ node }) => node.includes(query.get('node') ?? ''));
            if (nodes.length === 0)
              return (
                <p class="note">
                  {found.nodes.length === 0 ? 'No node of this cluster sent anything.' : 'No node has this name.'}
                </p>
              );
            return (
              <>
                <HeatMap
                  words={loadWords(nodes, measure, hourText)}
                  names={nodes.map(({ node }) => node)}
                  columns={found.columns}
                  rows={nodes.map(({ cells }) => cells)}
                  open={(node) => (location.hash = `#${nodePath(cluster, node)}${rangeQuery(query)}`)}
                />
                <Hourly hourly={hourly} />
                <PageTable
                  label="Table of nodes"
                  rows={nodes}
                  keyOf={({ node }) => node}
                  columns={columnsOf(cluster, measure, query)}
                />
              </>
            );
          }}
        </Shown>
      </PageSection>
    </>
  );
}

const withWholeSteps = ({ fromMs, untilMs, span }: Range, stepMs: number): Range => ({
  fromMs: Math.floor(fromMs / stepMs) * stepMs,
  untilMs,
  span,
});

/** The time of a view, for a link to another one. */
function rangeQuery(query: URLSearchParams): string {
  const kept = new URLSearchParams([...query].filter(([name]) => ['from', 'to', 'span'].includes(name)));
  return kept.size === 0 ? '' : `?${kept}`;
}

const columnsOf = (cluster: string, measure: LoadMeasure, query: URLSearchParams): TableColumn<NodeLoadOverTime>[] => [
  {
    title: 'Node',
    cell: ({ node }) => (
      <NameLink href={`#${nodePath(cluster, node)}${rangeQuery(query)}`} title={node} name={shortName(node)} />
    ),
  },
  { title: 'State in Slurm', cell: ({ facts }) => facts?.states.join(', ').toLowerCase() ?? '' },
  { title: 'CPU', kind: 'number', cell: ({ mean }) => roundPercentText(mean.cpu) },
  { title: 'Memory', kind: 'number', cell: ({ mean }) => roundPercentText(mean.memory) },
  { title: 'GPU', kind: 'number', cell: ({ mean }) => roundPercentText(mean.gpu) },
  {
    title: `Most ${loadMeasureWords[measure]}`,
    kind: 'number',
    cell: ({ peak }) => (peak === undefined ? '–' : `${Math.round(peak.percent)} %, ${hourText(peak.ms)}`),
  },
  { title: 'Cores', kind: 'number', cell: ({ facts }) => facts?.cores || '–' },
  {
    title: 'Has memory',
    kind: 'number',
    cell: ({ facts }) => ((facts?.memory_kb ?? 0) > 0 ? sizeText((facts?.memory_kb ?? 0) * 1024) : '–'),
  },
  {
    title: 'Newest sample',
    kind: 'time',
    cell: ({ facts }) => (facts?.sampled ? <Time at={facts.sampled} /> : 'none'),
  },
];
