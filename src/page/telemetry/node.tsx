import { sizeText } from '../../core/quantity/size-text.ts';
import { useLive } from '../hooks.ts';
import { PageSection, Shown, Time } from '../parts.tsx';
import { type TableColumn, PageTable } from '../table.tsx';
import { shortenedText } from '../words.ts';
import type { TelemetryLoad, TelemetryNode } from '../../core/contract/telemetry.ts';
import { connection } from '../connection.ts';
import { percentOf } from './cluster-load.ts';
import { Frame, Hourly, roundPercentText } from './frame.tsx';
import { RangeControl } from './range-control.tsx';
import { rangeParameters, rangeOf, sampleStepSeconds } from './range.ts';
import { Series, TimeScale } from './series.tsx';

const { client } = connection;

/** One node: what it is, and its use over time. */
export function NodeView({
  cluster,
  node,
  query,
}: {
  readonly cluster: string;
  readonly node: string;
  readonly query: URLSearchParams;
}) {
  const range = rangeOf(query, Date.now());
  const every = sampleStepSeconds(range, [600, 1800, 3600, 4 * 3600]);
  const live = useLive(
    `node ${cluster} ${node} ${query}`,
    async () => {
      const now = rangeOf(query, Date.now());
      const asked = { cluster, node, ...rangeParameters(now) };
      const [nodes, load] = await Promise.all([
        client.listTelemetryNodes({ query: asked }),
        client.listTelemetryLoad({ query: { ...asked, every } }),
      ]);
      return { facts: nodes.items[0], steps: load.items, hourly: load.hourly, range: now };
    },
    60_000,
  );
  return (
    <>
      <Frame cluster={cluster} title={shortenedText(node, 100)} />
      <PageSection title="Use of the node">
        <RangeControl range={range} spans={['24h', '3d', '7d', '30d']} />
        <Shown live={live} what="the node">
          {({ facts, steps, hourly, range: shown }) => (
            <>
              {facts !== undefined && <Facts facts={facts} />}
              {steps.length === 0 ? (
                <p class="note">This node sent no samples in this time.</p>
              ) : (
                <>
                  <AllSeries steps={steps} stepMs={every * 1000} range={shown} />
                  <Hourly hourly={hourly} />
                  <PageTable
                    label="Table of the use of the node"
                    rows={steps.toReversed()}
                    keyOf={({ time }) => time}
                    columns={COLUMNS}
                  />
                </>
              )}
            </>
          )}
        </Shown>
      </PageSection>
    </>
  );
}

const Facts = ({ facts }: { readonly facts: TelemetryNode }) => (
  <p class="facts">
    {facts.cores > 0 && <span>{facts.cores} cores</span>}
    {facts.memory_kb > 0 && <span>{sizeText(facts.memory_kb * 1024)} of memory</span>}
    {facts.cards > 0 && (
      <span>
        {facts.cards} {facts.cards === 1 ? 'GPU' : 'GPUs'}
      </span>
    )}
    {facts.model !== '' && <span>{shortenedText(facts.model, 80)}</span>}
    {facts.system !== '' && <span>{shortenedText(facts.system, 80)}</span>}
    {facts.partitions.length > 0 && <span>in {facts.partitions.join(', ')}</span>}
    {facts.states.length > 0 && <span>{facts.states.join(', ').toLowerCase()} in Slurm</span>}
  </p>
);

function AllSeries({
  steps,
  stepMs,
  range,
}: {
  readonly steps: readonly TelemetryLoad[];
  readonly stepMs: number;
  readonly range: { readonly fromMs: number; readonly untilMs: number };
}) {
  const shared = { stepMs, fromMs: range.fromMs, untilMs: range.untilMs, most: 100, textOf: roundPercentText };
  const pointsOf = (measure: 'cpu' | 'memory' | 'gpu') =>
    steps.map((step) => ({ ms: Date.parse(step.time), value: percentOf(step, measure) }));
  return (
    <>
      <Series {...shared} title="CPU" points={pointsOf('cpu')} />
      <Series {...shared} title="Memory" points={pointsOf('memory')} />
      {steps.some(({ cards }) => cards > 0) && <Series {...shared} title="GPU" points={pointsOf('gpu')} />}
      <TimeScale {...shared} />
    </>
  );
}

const COLUMNS: readonly TableColumn<TelemetryLoad>[] = [
  { title: 'Time', kind: 'time', cell: ({ time }) => <Time at={time} /> },
  { title: 'CPU', kind: 'number', cell: (step) => roundPercentText(percentOf(step, 'cpu')) },
  { title: 'Memory', kind: 'number', cell: (step) => roundPercentText(percentOf(step, 'memory')) },
  { title: 'Memory used', kind: 'number', cell: ({ used_memory_kb: kb }) => sizeText(kb * 1024) },
  { title: 'GPU', kind: 'number', cell: (step) => roundPercentText(percentOf(step, 'gpu')) },
  { title: 'Load', kind: 'number', cell: ({ load1 }) => load1.toFixed(1) },
  { title: 'Samples', kind: 'number', cell: ({ samples }) => samples },
];
