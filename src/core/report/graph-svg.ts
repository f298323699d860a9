import { layersOf, neighbours } from '../lifecycle/families/family-layers.ts';
import { greatest } from '../quantity/extremes.ts';
import { grouped } from '../quantity/count-text.ts';
import { shortened } from '../text/text-width.ts';
import { escapeHtml } from './escape.ts';
import type { WorkflowReport } from './workflow-report.ts';

type Graph = WorkflowReport['graph'];
type Family = Graph['families'][number];

const [WIDTH, HEIGHT, GAP_X, GAP_Y] = [190, 46, 50, 16];
/** Letters of a name that fit. */
const LETTERS = 24;
/** More boxes are a carpet. */
export const MOST_BOXES = 60;

/** The families as boxes, each right of what it depends on, with the shares of its jobs that completed, failed and are left. */
export function graphSvg({ families: all, edges }: Graph): string {
  const families = all.slice(0, MOST_BOXES);
  const keys = families.map(({ key }) => key);
  const { above } = neighbours(keys, edges);
  const layers = layersOf(keys, above);
  const columns = [...Map.groupBy(families, ({ key }) => layers.get(key) ?? 0)].toSorted(([a], [b]) => a - b);
  const place = new Map<string, { x: number; y: number }>();
  const tallest = greatest(
    columns.map(([, column]) => column.length),
    1,
  );
  for (const [layer, column] of columns) {
    const from = ((tallest - column.length) * (HEIGHT + GAP_Y)) / 2;
    for (const [row, { key }] of column.entries())
      place.set(key, { x: layer * (WIDTH + GAP_X) + 1, y: from + row * (HEIGHT + GAP_Y) + 1 });
  }
  const width =
    (greatest(
      columns.map(([layer]) => layer),
      0,
    ) +
      1) *
      (WIDTH + GAP_X) -
    GAP_X +
    2;
  const height = tallest * (HEIGHT + GAP_Y) - GAP_Y + 2;
  const lines = edges.flatMap(({ from, to }) => {
    const [start, end] = [place.get(from), place.get(to)];
    if (start === undefined || end === undefined || from === to) return [];
    const [x1, y1, x2, y2] = [start.x + WIDTH, start.y + HEIGHT / 2, end.x, end.y + HEIGHT / 2];
    const middle = (x1 + x2) / 2;
    return [`<path class="edge" d="M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}"/>`];
  });
  const boxes = families.map((family) => boxOf(family, place.get(family.key) ?? { x: 0, y: 0 }));
  return `<svg class="graph" role="img" aria-label="Families of jobs and what they depend on" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${lines.join('')}${boxes.join('')}</svg>`;
}

function boxOf(
  { name, jobs, completed, failed, stopped }: Family,
  { x, y }: { readonly x: number; readonly y: number },
): string {
  const inner = WIDTH - 20;
  const part = (count: number) => (jobs === 0 ? 0 : (count / jobs) * inner);
  const [good, bad] = [part(completed), part(failed + stopped)];
  const count = failed + stopped > 0 ? `${grouped(jobs)}, ${grouped(failed + stopped)} not completed` : grouped(jobs);
  return [
    `<g><title>${escapeHtml(`${name}: ${count}`)}</title><rect class="box" x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="6"/>`,
    `<text class="name" x="${x + 10}" y="${y + 17}">${escapeHtml(shortened(name, LETTERS, 'middle'))}</text>`,
    `<text class="small" x="${x + 10}" y="${y + 31}">${escapeHtml(count)}</text>`,
    `<rect class="left" x="${x + 10}" y="${y + 37}" width="${inner}" height="4"/>`,
    `<rect class="good" x="${x + 10}" y="${y + 37}" width="${good.toFixed(1)}" height="4"/>`,
    `<rect class="bad" x="${(x + 10 + good).toFixed(1)}" y="${y + 37}" width="${bad.toFixed(1)}" height="4"/></g>`,
  ].join('');
}
