import { greatest } from '../quantity/extremes.ts';
import { timeText } from '../quantity/time-text.ts';
import { shortened } from '../text/text-width.ts';
import { escapeHtml } from './escape.ts';
import type { WorkflowReport } from './workflow-report.ts';

type Timeline = WorkflowReport['timeline'];

const [WIDTH, CHART, ROW, LEFT] = [820, 120, 18, 170];
const LETTERS = 24;

/** How many attempts ran over the time of the run, where some failed, and a row for each of the largest families. */
export function timelineSvg({ running, failed, bands = [], bin_seconds: seconds }: Timeline): string {
  const rows = bands ?? [];
  const bins = running.length;
  const step = (WIDTH - LEFT) / Math.max(1, bins);
  const most = greatest(running, 0) || 1;
  const height = CHART + 24 + rows.length * ROW + 8;
  const at = (bin: number) => (LEFT + bin * step).toFixed(1);
  const top = (value: number) => (CHART - (value / most) * (CHART - 16)).toFixed(1);
  const line = running.map((value, bin) => `L${at(bin)} ${top(value)}L${at(bin + 1)} ${top(value)}`).join('');
  const marks = failed.flatMap((count, bin) =>
    count === 0
      ? []
      : [`<rect class="bad" x="${at(bin)}" y="${CHART}" width="${Math.max(2, step).toFixed(1)}" height="5"/>`],
  );
  const bars = rows.map((band, row) => {
    const y = CHART + 24 + row * ROW;
    const peak = greatest(band.running, 0) || 1;
    const cells = band.running.flatMap((value, bin) =>
      value === 0
        ? []
        : [
            `<rect class="good" opacity="${(0.25 + 0.75 * (value / peak)).toFixed(2)}" x="${at(bin)}" y="${y + 3}" width="${(step + 0.3).toFixed(1)}" height="${ROW - 6}"/>`,
          ],
    );
    return `<g><title>${escapeHtml(`${band.name}: ${band.attempts} attempts`)}</title><text class="small" x="0" y="${y + 13}">${escapeHtml(shortened(band.name, LETTERS, 'middle'))}</text>${cells.join('')}</g>`;
  });
  return [
    `<svg class="timeline" role="img" aria-label="Attempts that ran over time: at most ${Math.round(most)} at once" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">`,
    `<text class="small" x="0" y="14">at most ${Number(most.toFixed(1))} at once</text>`,
    `<path class="area" d="M${LEFT} ${CHART}${line}L${WIDTH} ${CHART}Z"/>${marks.join('')}`,
    `<text class="small" x="${LEFT}" y="${CHART + 18}">0</text><text class="small end" x="${WIDTH}" y="${CHART + 18}">${escapeHtml(timeText(seconds * bins))}</text>`,
    ...bars,
    '</svg>',
  ].join('');
}
