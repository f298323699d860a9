import type { JobFamily } from '../../core/contract/view.ts';
import { countOf, ENDED_BADLY, HELD, SUCCEEDED } from '../../core/job/statuses.ts';
import { grouped } from '../../core/quantity/count-text.ts';
import { presentCounts } from '../parts.tsx';
import { shortenedText } from '../words.ts';
import { familyAddressOf } from './family-table.tsx';
import { HEIGHT, WIDTH } from './picture.ts';
import type { Box } from './zoom.ts';

interface NodeProps {
  readonly id: number;
  readonly family: JobFamily;
  readonly box: Box;
  /** One without is a box in the colour of its state. */
  readonly hasName: boolean;
}

/** A family in the graph: its name, the number of its jobs, and a bar of their statuses. */
export function FamilyNode({ id, family, box: { left, top }, hasName }: NodeProps) {
  const { name, jobs } = family;
  return (
    <a
      href={familyAddressOf(id, family)}
      class={`node has-${stateOf(family)}`}
      aria-label={hasName ? undefined : shortenedText(name)}
    >
      <title>{shortenedText(name)}</title>
      <rect class="box" x={left} y={top} width={WIDTH} height={HEIGHT} rx="9" />
      {hasName && (
        <>
          <text x={left + 10} y={top + 21}>
            {shortenedText(name, jobs > 1 ? 17 : 22)}
          </text>
          {jobs > 1 && (
            <text class="number" x={left + WIDTH - 10} y={top + 21} text-anchor="end">
              × {grouped(jobs)}
            </text>
          )}
          {partsOf(family).map(({ status, from, length }) => (
            <rect key={status} class={`part is-${status}`} x={left + from} y={top + 34} width={length} height="8" />
          ))}
        </>
      )}
    </a>
  );
}

function stateOf({ jobs, jobs_by_status: counts }: JobFamily): 'failed' | 'running' | 'completed' | 'waiting' {
  if (countOf(counts, ENDED_BADLY) > 0) return 'failed';
  if (countOf(counts, HELD) > 0) return 'running';
  return countOf(counts, SUCCEEDED) === jobs ? 'completed' : 'waiting';
}

function partsOf({ jobs, jobs_by_status: counts }: JobFamily) {
  let from = 10;
  return presentCounts(counts).map(([status, count]) => {
    const part = { status, from, length: ((WIDTH - 20) * count) / jobs };
    from += part.length;
    return part;
  });
}
