import { greatest } from '../../core/quantity/extremes.ts';
import type { TelemetryLoad, TelemetryNode } from '../../core/contract/telemetry.ts';
import { byNodeName } from './heat-cells.ts';

export const LOAD_MEASURES = ['cpu', 'memory', 'gpu'] as const;
export type LoadMeasure = (typeof LOAD_MEASURES)[number];
export const loadMeasureWords: Readonly<Record<LoadMeasure, string>> = { cpu: 'CPU', memory: 'Memory', gpu: 'GPU' };

export function percentOf(step: TelemetryLoad, measure: LoadMeasure): number | undefined {
  const { cpu_of_node_percent: cpu, memory_of_node_percent: memory, gpu_percent: gpu, cards } = step;
  if (measure === 'cpu') return cpu ?? undefined;
  if (measure === 'memory') return memory ?? undefined;
  return cards === 0 ? undefined : (gpu ?? undefined);
}

/** One node of a cluster over the time that is shown. */
export interface NodeLoadOverTime {
  readonly node: string;
  readonly facts: TelemetryNode | undefined;
  readonly samples: number;
  readonly mean: Readonly<Record<LoadMeasure, number | undefined>>;
  /** The step with the greatest use of what is shown. */
  readonly peak: { readonly ms: number; readonly percent: number } | undefined;
  /** The percentages of what is shown, by step. */
  readonly cells: readonly (number | undefined)[];
}

/** The nodes of a cluster by name, those that sent nothing too, with their use in steps of a length. */
export function nodeLoads(
  facts: readonly TelemetryNode[],
  load: readonly TelemetryLoad[],
  { measure, fromMs, untilMs, stepMs }: { measure: LoadMeasure; fromMs: number; untilMs: number; stepMs: number },
): { readonly nodes: readonly NodeLoadOverTime[]; readonly columns: readonly { fromMs: number; untilMs: number }[] } {
  const first = Math.floor(fromMs / stepMs);
  const count = Math.max(1, Math.ceil(untilMs / stepMs) - first);
  const columns = Array.from({ length: count }, (_, column) => ({
    fromMs: (first + column) * stepMs,
    untilMs: (first + column + 1) * stepMs,
  }));
  const factsOf = new Map(facts.map((each) => [each.node, each]));
  const stepsOf = Map.groupBy(load, ({ node }) => node);
  const names = [...new Set([...factsOf.keys(), ...stepsOf.keys()])].toSorted(byNodeName);
  const nodes = names.map((node): NodeLoadOverTime => {
    const steps = stepsOf.get(node) ?? [];
    const cells: (number | undefined)[] = Array.from({ length: count }, () => undefined);
    for (const step of steps) cells[Math.floor(Date.parse(step.time) / stepMs) - first] = percentOf(step, measure);
    const most = greatest(
      cells.filter((each) => each !== undefined),
      -1,
    );
    return {
      node,
      facts: factsOf.get(node),
      samples: steps.reduce((sum, { samples }) => sum + samples, 0),
      mean: { cpu: meanOf(steps, 'cpu'), memory: meanOf(steps, 'memory'), gpu: meanOf(steps, 'gpu') },
      peak: most < 0 ? undefined : { percent: most, ms: columns[cells.indexOf(most)]?.fromMs ?? 0 },
      cells: cells.slice(0, count),
    };
  });
  return { nodes, columns };
}

function meanOf(steps: readonly TelemetryLoad[], measure: LoadMeasure): number | undefined {
  const known = steps.flatMap((step) => percentOf(step, measure) ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, each) => sum + each, 0) / known.length;
}

/** What a heat map shows, in one or two sentences. */
export function loadWords(
  nodes: readonly NodeLoadOverTime[],
  measure: LoadMeasure,
  timeText: (ms: number) => string,
): string {
  const means = nodes.flatMap(({ mean }) => mean[measure] ?? []);
  const silent = nodes.filter(({ samples }) => samples === 0).length;
  const silentWords = silent === 0 ? '' : ` ${silent} of ${nodes.length} nodes sent no samples.`;
  const name = loadMeasureWords[measure];
  if (means.length === 0) return `No use of ${name} was measured in this time.${silentWords}`;
  const average = means.reduce((sum, each) => sum + each, 0) / means.length;
  const busiest = nodes.reduce((one, other) => ((other.peak?.percent ?? -1) > (one.peak?.percent ?? -1) ? other : one));
  const peak = busiest.peak;
  const most =
    peak === undefined ? '' : `, at most ${Math.round(peak.percent)} % (${busiest.node}, ${timeText(peak.ms)})`;
  return `${name} of ${means.length} ${means.length === 1 ? 'node' : 'nodes'}: on average ${Math.round(average)} %${most}.${silentWords}`;
}
