import { stepIdOf, type StepId } from '../../core/contract/files/job.ts';
import { ownIdentity } from '../../cluster/host/facts.ts';
import { createFamilies } from '../../cluster/host/families.ts';
import { type ProcessSample, proportionalBytes, readPeakBytes } from '../../cluster/host/proc.ts';
import type { TreeUse } from '../../cluster/host/process-tree.ts';
import type { Log } from '../log.ts';
import { MARK_VARIABLE } from '../setup/marks.ts';
import type { RunFacts } from './request.ts';
import type { StepUse, Uses } from './steps.ts';

export interface ProcessUseOptions {
  readonly facts: RunFacts;
  /** The first process of a running step. */
  readonly pidOf: (id: StepId) => number | undefined;
  /** Whether a process with this environment may belong to a step at all; all may, if absent. */
  readonly isOfStep?: ((environment: readonly string[]) => boolean) | undefined;
  readonly log: Log;
  /** Receives the processes of the steps at each look. */
  readonly onProcesses?: ((processes: ReadonlyMap<StepId, readonly ProcessSample[]>) => void) | undefined;
}

/** What the processes of steps use on this machine. */
export interface ProcessUse {
  of(ids: ReadonlySet<StepId>): Uses;
  /** The present processes of the step with this first process. */
  membersOf(pid: number): readonly number[];
  close(): void;
}

export function createProcessUse({ facts, pidOf, isOfStep, log, onProcesses }: ProcessUseOptions): ProcessUse {
  const families = createFamilies({
    sinceTicks: ownIdentity()?.start_ticks ?? 0,
    ownerBy: (environment) => {
      const id = isOfStep?.(environment) === false ? undefined : stepOf(facts, environment);
      return id === undefined ? undefined : pidOf(id);
    },
  });
  let isTold = false;

  const look = (roots: ReadonlySet<number>): ReadonlyMap<number, TreeUse> => {
    try {
      return families.look(roots);
    } catch (error) {
      // No /proc here, or no file descriptor left: jobs continue, and the next sample may succeed.
      if (!isTold) log.write('warn', 'Processes cannot be sampled', { reason: (error as Error).message });
      isTold = true;
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

/** The step of this runner that an environment belongs to. */
export function stepOf(facts: RunFacts, environment: readonly string[]): StepId | undefined {
  const valueOf = (name: string) => environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1);
  const mark = valueOf(MARK_VARIABLE);
  if (mark === undefined || !facts.variables.some(([name, value]) => name === MARK_VARIABLE && value === mark))
    return undefined;
  return stepIdOf(facts, { id: Number(valueOf('TORC_JOB_ID')), attempt_id: Number(valueOf('TORC_ATTEMPT_ID')) });
}
