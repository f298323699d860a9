import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import type { AskedToEnd } from '../../../core/attempt/asked-to-end.ts';
import type { LogLevel } from '../../../core/text/log-line.ts';
import type { RunFacts } from '../../facts/run-facts.ts';
import type { EndedBy } from '../../../core/attempt/evidence.ts';
import type { StepEnd, StepUse } from '../steps.ts';

/**
 * The messages between a runner and its launcher on a node: a line of JSON each. For a step they go through its standard input and output:
 * srun carries both, so no port is opened and no other process can write. Where nothing carries an input, `far/keyed-socket.ts` does.
 *
 * The end of the input is the end of the runner: the launcher then kills what it started.
 */

/** From the runner. */
export type LauncherOrder =
  /** The first one. */
  | { readonly do: 'begin'; readonly facts: RunFacts; readonly sonar: boolean; readonly beside: RestOfRun }
  /** With `after` it starts when that step has ended, in its place; at once if the launcher does not hold that step. */
  | { readonly do: 'start'; readonly job: ClaimedJob; readonly gpus: readonly string[]; readonly after?: StepId }
  /** Takes back a start that waits for another step; one that does not wait goes on. */
  | { readonly do: 'take-back'; readonly id: StepId }
  | { readonly do: 'signal'; readonly id: StepId; readonly signal: NodeJS.Signals }
  | { readonly do: 'kill'; readonly id: StepId }
  | { readonly do: 'look'; readonly question: number; readonly ids: readonly StepId[] }
  /** Jobs that are steps of Slurm on its node: a sample of them for Sonar, and what one used in total when it has ended. */
  | { readonly do: 'sample'; readonly ids: readonly StepId[] }
  | { readonly do: 'sampled'; readonly id: StepId; readonly cpuSeconds?: number; readonly peakBytes?: number }
  /** No job runs any more: it ends what jobs left behind, and itself. */
  | { readonly do: 'end' };

/** What the launcher has to know of the rest of the run. */
export interface RestOfRun {
  /** Of jobs that limit nothing. */
  readonly defaultRequirementsId: number | undefined;
  /** Memory of the allocation on this node that others of the run use: the runner itself. */
  readonly bytes: number;
  /** What signals the launcher signals its jobs too (`Manner`). */
  readonly reachesAll: boolean;
  /** What the allocation has on this node, where its variables do not say it; absent inside a step. */
  readonly share?: NodeShare | undefined;
}

/** A node of an allocation without steps: jobs there are started as those of the runner's own node. */
export interface NodeShare {
  /** The CPUs to which jobs are bound; undefined where they are not. */
  readonly cpus?: number | undefined;
  readonly memoryBytes?: number | undefined;
  readonly enforcesMemory: boolean;
}

/** A step that could not be started. */
export interface NotStarted {
  readonly id: StepId;
  readonly reason: string;
}

export interface ReportedEnd extends StepEnd {
  readonly endedBy?: EndedBy | undefined;
  readonly asked?: AskedToEnd | undefined;
}

/** From the launcher. */
export type LauncherReport =
  /** `step` is empty where there are none. */
  | { readonly is: 'ready'; readonly step: string; readonly launcher: string; readonly cpus?: string | undefined }
  | {
      readonly is: 'changed';
      readonly started: readonly StepId[];
      readonly ended: readonly ReportedEnd[];
      readonly refused: readonly NotStarted[];
      /** Steps that were sent ahead, did not start, and are forgotten. */
      readonly takenBack: readonly StepId[];
    }
  | { readonly is: 'uses'; readonly question: number; readonly uses: readonly (readonly [StepId, StepUse])[] }
  | {
      readonly is: 'log';
      readonly level: LogLevel;
      readonly words: string;
      readonly fields: Readonly<Record<string, unknown>>;
    };

export const messageLine = (message: LauncherOrder | LauncherReport): string => `${JSON.stringify(message)}\n`;

const KINDS: ReadonlySet<unknown> = new Set<LauncherReport['is']>(['ready', 'changed', 'uses', 'log']);

/** Undefined for a line that is no report: programs around the launcher may print something too. */
export function reportIn(line: string): LauncherReport | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const found = JSON.parse(line) as LauncherReport;
    return KINDS.has(found.is) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Splits a stream of text into its lines. */
export function createLines(onLine: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  };
}
