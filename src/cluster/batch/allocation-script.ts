import type { RunnerLine } from '../../core/allocation/runner-line.ts';
import type { SlurmScheduler } from '../../core/contract/scheduling.ts';

/** What the script of an allocation asks for, and what it starts. */
export interface AllocationScript {
  readonly jobName: string;
  readonly scheduler: Pick<
    SlurmScheduler,
    | 'account'
    | 'nodes'
    | 'walltime'
    | 'gres'
    | 'mem'
    | 'partition'
    | 'qos'
    | 'tmp'
    | 'extra'
    | 'serialize_allocations'
    | 'pbs'
  >;
  /** Options of all allocations of the workflow, by their long names. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** What jobs of the workflow request, for what the options leave open. */
  readonly needs?: readonly {
    readonly num_cpus?: number | null | undefined;
    readonly memory?: string | null | undefined;
    readonly num_gpus?: number | null | undefined;
  }[];
  /** A comment on the second line: who submits. */
  readonly submitter?: string;
  /** The record of the allocation, or that of the first task of a job array. */
  readonly record?: { readonly id: number; readonly isArray: boolean };
  /** In which it is submitted. */
  readonly workingFolder?: string;
  readonly runner: RunnerLine;
}

/** What the batch system says about a script that is not submitted. */
export type Tested =
  | { readonly kind: 'starts'; readonly atMs: number }
  /** It would not accept the script (`isFinal`), or has no nodes for it as it is now: some may be drained. */
  | { readonly kind: 'refused'; readonly words: string; readonly isFinal: boolean }
  /** It could not be asked. */
  | { readonly kind: 'unknown'; readonly words: string };
