import type { JobFamily, WorkflowGraph } from '../core/contract/view.ts';
import { grouped } from '../core/quantity/count-text.ts';
import { greatest } from '../core/quantity/extremes.ts';
import { layout } from './graph-layout.ts';
import { Bar, present } from './parts.tsx';
import { Table } from './table.tsx';
import { failedIn, of, shownText } from './words.ts';

/** Sizes in pixels. */
const [WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN] = [190, 54, 56, 16, 8];

const addressOf = (id: number, { key }: JobFamily) => `#/workflows/${id}/families/${encodeURIComponent(key)}`;

/** Families and the dependencies between them, from left to right. The table below says the same. */
export function Graph({ id, graph }: { readonly id: number; readonly graph: WorkflowGraph }) {
  const { families, edges } = graph;
  const places = layout(
    families.map(({ key }) => key),
    edges,
  );
  const rowsOf = new Map<number, number>();
  for (const { layer, row } of places.values()) rowsOf.set(layer, Math.max(rowsOf.get(layer) ?? 0, row + 1));
  const most = greatest(rowsOf.values(), 1);
  const layers = rowsOf.size;
  const height = most * (HEIGHT + GAP_Y) - GAP_Y + 2 * MARGIN;
  const at = (key: string) => {
    const { layer, row } = places.get(key) ?? { layer: 0, row: 0 };
    const free = (most - (rowsOf.get(layer) ?? 1)) * (HEIGHT + GAP_Y);
    return { x: MARGIN + layer * (WIDTH + GAP_X), y: MARGIN + free / 2 + row * (HEIGHT + GAP_Y) };
  };
  const width = layers * (WIDTH + GAP_X) - GAP_X + 2 * MARGIN;
  return (
    <>
      <div class="graph" tabIndex={0} role="group" aria-label="Graph of the families of jobs">
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="presentation">
          {edges
            .filter(({ from, to }) => from !== to)
            .map(({ from, to, dependencies }) => {
              const [start, end] = [at(from), at(to)];
              const [x1, y1] = [start.x + WIDTH, start.y + HEIGHT / 2];
              const [x2, y2] = [end.x, end.y + HEIGHT / 2];
              const bend = Math.max(GAP_X / 2, Math.abs(x2 - x1) / 2);
              return (
                <path
                  key={`${from} ${to}`}
                  class="edge"
                  d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`}
                >
                  <title>{`${grouped(dependencies)} dependencies`}</title>
                </path>
              );
            })}
          {families.map((family) => {
            const { x, y } = at(family.key);
            return <FamilyNode key={family.key} id={id} family={family} x={x} y={y} />;
          })}
        </svg>
      </div>
      <FamilyTable id={id} graph={graph} />
    </>
  );
}

function FamilyNode({
  id,
  family,
  x,
  y,
}: {
  readonly id: number;
  readonly family: JobFamily;
  readonly x: number;
  readonly y: number;
}) {
  const { name, jobs, jobs_by_status: counts } = family;
  const inner = WIDTH - 20;
  let left = 0;
  const parts = present(counts).map(([status, count]) => {
    const part = { status, from: left, length: (inner * count) / jobs };
    left += part.length;
    return part;
  });
  const kind = failedIn(counts) > 0 ? 'failed' : of(counts, 'running', 'pending') > 0 ? 'running' : 'other';
  return (
    <a href={addressOf(id, family)} class={`node has-${kind}`}>
      <title>{shownText(name)}</title>
      <rect class="box" x={x} y={y} width={WIDTH} height={HEIGHT} rx="9" />
      <text x={x + 10} y={y + 21}>
        {shownText(name, jobs > 1 ? 17 : 22)}
      </text>
      {jobs > 1 && (
        <text class="number" x={x + WIDTH - 10} y={y + 21} text-anchor="end">
          × {grouped(jobs)}
        </text>
      )}
      {parts.map(({ status, from, length }) => (
        <rect key={status} class={`part is-${status}`} x={x + 10 + from} y={y + 34} width={length} height="8" />
      ))}
    </a>
  );
}

function FamilyTable({ id, graph }: { readonly id: number; readonly graph: WorkflowGraph }) {
  return (
    <Table
      label="Table of the families of jobs"
      rows={graph.families}
      keyOf={({ key }) => key}
      columns={[
        {
          title: 'Family',
          cell: (family) => (
            <a href={addressOf(id, family)} class="name">
              {shownText(family.name, 80)}
            </a>
          ),
        },
        { title: 'Jobs', kind: 'number', cell: ({ jobs }) => grouped(jobs) },
        { title: 'Progress', kind: 'wide', cell: ({ jobs_by_status: counts }) => <Bar counts={counts} /> },
        {
          title: 'Failed',
          kind: 'number',
          cell: ({ jobs_by_status: counts }) => grouped(failedIn(counts)),
          class: ({ jobs_by_status: counts }) => (failedIn(counts) > 0 ? 'is-bad' : ''),
        },
      ]}
    >
      {graph.families_left_out > 0 && (
        <p class="note">
          {grouped(graph.families_left_out)} more families with {grouped(graph.jobs_left_out)} jobs are not shown: the
          largest are.
        </p>
      )}
    </Table>
  );
}
