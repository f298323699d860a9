import { stepIdOf, type StepId } from '../../core/contract/files/job.ts';
import { ownIdentity } from '../../cluster/host/facts.ts';
import { valueIn } from '../../cluster/host/environment-of.ts';
import { createFamilies } from '../../cluster/host/families.ts';
import { type ProcessSample, proportionalBytes, readPeakBytes } from '../../cluster/host/proc.ts';
import type { TreeUse } from '../../cluster/host/process-tree.ts';
import { MARK_VARIABLE } from '../../core/attempt/belongs-to.ts';
import type { Log } from '../facts/log.ts';
import { membershipOf } from '../facts/membership.ts';
import type { RunFacts } from '../facts/run-facts.ts';
import type { StepUse, Uses } from './steps.ts';

export interface ProcessUseOptions {
  readonly facts: RunFacts;
  /** The allocation of the runner; empty for none. */
  readonly allocationId: string;
  readonly jobVariable?: string | undefined;
  /** The first process of a running step. */
  readonly pidOf: (id: StepId) => number | undefined;
  /** Whether a process with this environment may belong to a step at all; all may, if absent. */
  readonly isOfStep?: ((environment: readonly string[]) => boolean) | undefined;
  readonly log: Log;
  /** Receives the processes of the steps at each look. */
  readonly onProcesses?: ((processes: ReadonlyMap<StepId, readonly ProcessSample[]>) => void) | undefined;
}

/** What the processes of steps use on this machine. */
export interface UseOfProcesses {
  of(ids: ReadonlySet<StepId>): Uses;
  /** The present processes of the step with this first process. */
  membersOf(pid: number): readonly number[];
  close(): void;
}

export function createProcessUse(options: ProcessUseOptions): UseOfProcesses {
  const { pidOf, isOfStep, log, onProcesses } = options;
  const stepOf = stepFinder(options);
  const families = createFamilies({
    sinceTicks: ownIdentity()?.start_ticks ?? 0,
    ownerBy: (environment, pid) => {
      const id = isOfStep?.(environment) === false ? undefined : stepOf(environment, pid);
      return id === undefined ? undefined : pidOf(id);
    },
  });
  let isReported = false;

  const look = (roots: ReadonlySet<number>): ReadonlyMap<number, TreeUse> => {
    try {
      return families.look(roots);
    } catch (error) {
      // No /proc here, or no file descriptor left: jobs continue, and the next sample may succeed.
      if (!isReported) log.write('warn', 'Processes cannot be sampled', { reason: (error as Error).message });
      isReported = true;
      return new Map();
    }
  };

  return {
    of(ids) {
      const roots = new Map<number, StepId>();
      for (const id of ids) {
        const pid = pidOf(id);
        if (pid !== undefined) roots.set(pid, id);
      }
      const uses = new Map<StepId, StepUse>();
      const processes = new Map<StepId, readonly ProcessSample[]>();
      for (const [pid, use] of look(new Set(roots.keys()))) {
        const id = roots.get(pid);
        if (id === undefined) continue;
        uses.set(id, useOf(use));
        processes.set(id, use.members);
      }
      onProcesses?.(processes);
      return uses;
    },
    membersOf: (root) => (look(new Set([root])).get(root)?.members ?? []).map(({ pid }) => pid),
    close: () => families.close(),
  };
}

function useOf({ members, cpuSeconds, residentBytes }: TreeUse): StepUse {
  const [only] = members.length === 1 ? members : [];
  return {
    cpuSeconds,
    memoryBytes: residentBytes,
    peakBytes: only === undefined ? undefined : readPeakBytes(only.pid),
    processes: members.length,
    exactly: () => proportionalBytes(members.map(({ pid }) => pid)),
  };
}

/** Finds the step of this runner to which a process with this environment belongs. */
export function stepFinder({
  facts,
  allocationId,
  jobVariable,
}: Pick<ProcessUseOptions, 'facts' | 'allocationId' | 'jobVariable'>): (
  environment: readonly string[],
  pid: number,
) => StepId | undefined {
  const mark = facts.variables.find(([name]) => name === MARK_VARIABLE)?.[1] ?? '';
  const isMember = membershipOf({ mark, allocationId, jobVariable });
  return (environment, pid) => {
    // The steps of a runner inside a job are not steps of this one.
    if (valueIn(environment, MARK_VARIABLE) !== mark || !isMember(environment, pid)) return undefined;
    const [job, attempt] = ['TORC_JOB_ID', 'TORC_ATTEMPT_ID'].map((name) => Number(valueIn(environment, name)));
    return stepIdOf(facts, { id: job as number, attempt_id: attempt as number });
  };
}
