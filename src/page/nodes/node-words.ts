import type { NodeUse } from '../../core/contract/view.ts';
import { counted } from '../../core/quantity/count-text.ts';

export type Measure = NodeUse['measure'];
export const MEASURES: readonly Measure[] = ['cpu', 'memory', 'gpu'];
export const measureWords: Readonly<Record<Measure, string>> = { cpu: 'CPUs', memory: 'Memory', gpu: 'GPUs' };

/** A node of the map with its figures, in percent. */
export interface MappedNode {
  readonly hostname: string;
  readonly capacity: number;
  readonly runners: number;
  readonly attempts: number;
  /** Undefined while no runner worked there. */
  readonly cells: readonly (number | undefined)[];
  readonly mean: number;
  readonly most: { readonly percent: number; readonly column: number };
}

export const mappedNodesOf = ({ nodes }: NodeUse): MappedNode[] =>
  nodes.map(({ share, ...node }) => {
    const cells = share.map((each) => (each === null ? undefined : each * 100));
    const known = cells.filter((each) => each !== undefined);
    const column = cells.reduce<number>((best, each, at) => ((each ?? -1) > (cells[best] ?? -1) ? at : best), 0);
    return {
      ...node,
      cells,
      mean: known.length === 0 ? 0 : known.reduce((sum, each) => sum + each, 0) / known.length,
      most: { percent: cells[column] ?? 0, column },
    };
  });

/** What the map shows, in a sentence: for those who do not see it, and below it. */
export function mapWords(nodes: readonly MappedNode[], measure: Measure): string {
  const mean = nodes.reduce((sum, each) => sum + each.mean, 0) / Math.max(1, nodes.length);
  const idle = nodes.filter(({ most }) => most.percent === 0).length;
  const busiest = nodes.reduce<MappedNode | undefined>(
    (one, other) => (one === undefined || other.mean > one.mean ? other : one),
    undefined,
  );
  const idleWords =
    idle === 0
      ? ''
      : ` ${idle === nodes.length ? 'None' : counted(idle, 'node')} had ${idle === nodes.length ? 'a job that asked for any' : 'no job that asked for any'}.`;
  return `${measureWords[measure]} of ${counted(nodes.length, 'node')}, as running jobs asked for them: on average ${Math.round(mean)} % taken${
    nodes.length < 2 || busiest === undefined ? '' : `, most on ${busiest.hostname} (${Math.round(busiest.mean)} %)`
  }.${idleWords}`;
}
