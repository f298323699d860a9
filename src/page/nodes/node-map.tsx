import type { NodeUse } from '../../core/contract/view.ts';
import { counted, grouped } from '../../core/quantity/count-text.ts';
import { sizeText } from '../../core/quantity/size-text.ts';
import { connection } from '../connection.ts';
import { useLive } from '../hooks.ts';
import { Choices, NameLink, PageSection, Shown } from '../parts.tsx';
import { replaceQuery } from '../query.ts';
import { type TableColumn, PageTable } from '../table.tsx';
import { HeatMap, shortName } from '../telemetry/heat-map.tsx';
import { clockText } from '../timeline/window.ts';
import { type MappedNode, mappedNodesOf, mapWords, type Measure, MEASURES, measureWords } from './node-words.ts';

interface NodesProps {
  readonly id: number;
  readonly query: URLSearchParams;
}

/** The nodes of a workflow over its run: a row for each, stronger in colour where jobs took more of it. What is shown stands in the address. */
export function NodesView({ id, query }: NodesProps) {
  const measure = MEASURES.find((each) => each === query.get('nodes')) ?? 'cpu';
  const live = useLive(
    `nodes ${id} ${measure}`,
    () => connection.client.getNodeUse({ params: { id }, query: { measure } }),
    15_000,
  );
  return (
    <PageSection
      title="Nodes over time"
      aside={
        <Choices
          label="Show of the nodes"
          of={MEASURES}
          shown={measure}
          words={(each) => measureWords[each]}
          choose={(each) => replaceQuery({ nodes: each === 'cpu' ? '' : each })}
        />
      }
    >
      <Shown live={live} what="the nodes">
        {(use) => <Nodes id={id} use={use} measure={measure} />}
      </Shown>
    </PageSection>
  );
}

function Nodes({ id, use, measure }: { readonly id: number; readonly use: NodeUse; readonly measure: Measure }) {
  const nodes = mappedNodesOf(use);
  if (nodes.length === 0)
    return (
      <p class="note">
        {use.bin_seconds === 0
          ? 'No job of this run has started.'
          : `No node of this run has ${measureWords[measure]}.`}
      </p>
    );
  const fromMs = Date.parse(use.from ?? '');
  const columns = Array.from({ length: nodes[0]?.cells.length ?? 0 }, (_, at) => ({
    fromMs: fromMs + at * use.bin_seconds * 1000,
    untilMs: fromMs + (at + 1) * use.bin_seconds * 1000,
  }));
  const timeText = (ms: number) => clockText(ms, columns.length * use.bin_seconds * 1000);
  return (
    <>
      <HeatMap
        words={mapWords(nodes, measure)}
        names={nodes.map(({ hostname }) => hostname)}
        columns={columns}
        rows={nodes.map(({ cells }) => cells)}
        open={() => (location.hash = runnersOf(id))}
        timeText={timeText}
        none="no runner"
      />
      <PageTable
        label="Table of the nodes"
        rows={nodes}
        keyOf={({ hostname }) => hostname}
        columns={columnsOf(id, measure, ({ most }) => timeText(columns[most.column]?.fromMs ?? 0))}
      />
      {use.nodes_left_out > 0 && <p class="note">{counted(use.nodes_left_out, 'more node')} are not shown.</p>}
    </>
  );
}

/** The timeline by runner, which shows what ran where. */
const runnersOf = (id: number) => `#/workflows/${id}?by=runner`;

const columnsOf = (id: number, measure: Measure, whenOf: (node: MappedNode) => string): TableColumn<MappedNode>[] => [
  {
    title: 'Node',
    cell: ({ hostname }) => <NameLink href={runnersOf(id)} title={hostname} name={shortName(hostname)} />,
  },
  {
    title: 'Has',
    kind: 'number',
    cell: ({ capacity }) => (measure === 'memory' ? sizeText(Math.round(capacity)) : grouped(capacity)),
  },
  { title: 'Taken, mean', kind: 'number', cell: ({ mean }) => `${Math.round(mean)} %` },
  {
    title: 'Taken, most',
    kind: 'number',
    cell: (node) => (node.most.percent === 0 ? '–' : `${Math.round(node.most.percent)} %, ${whenOf(node)}`),
  },
  { title: 'Attempts', kind: 'number', cell: ({ attempts }) => grouped(attempts) },
  { title: 'Runners', kind: 'number', cell: ({ runners }) => grouped(runners) },
];
