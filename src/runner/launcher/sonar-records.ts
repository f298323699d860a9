import { type Allocation, jobIdOf } from '../../cluster/batch/allocation.ts';
import type { StepId } from '../../core/contract/files/job.ts';
import type { Log } from '../facts/log.ts';
import type { RunFacts } from '../facts/run-facts.ts';
import type { SonarRecord } from '../step/sonar.ts';
import type { Uses } from '../step/steps.ts';
import { createStepSampler, type StepSampler } from './step-sampler.ts';

export interface SonarRecordsOptions {
  /** With the mark of this launcher. */
  readonly facts: RunFacts;
  /** With the mark of the runner: steps that Slurm started have that one. */
  readonly runnerFacts: RunFacts;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly allocation: Allocation | undefined;
  readonly log: Log;
}

/** Records of the processes of this node for Sonar. Nothing is recorded before what writes them is loaded. */
export interface SonarRecords {
  /** For the steps that this launcher starts. */
  readonly ofSteps: SonarRecord;
  /** A look that the runner asks for. Only such a look is recorded: the limits are looked at more often. */
  recorded(look: () => Uses | Promise<Uses>): Promise<Uses>;
  /** Of jobs that are steps of Slurm on this node. */
  sample(ids: readonly StepId[]): void;
  sampled(...ended: Parameters<StepSampler['ended']>): void;
  /** Stops samples; resolves when what writes records is loaded, so that their end is written too. */
  close(): Promise<void>;
}

export function createSonarRecords(options: SonarRecordsOptions): SonarRecords {
  const { facts, runnerFacts, environment, allocation, log } = options;
  let isRecorded = false;
  let record: SonarRecord | undefined;
  const loading = import('../step/sonar.ts').then(({ createSonarRecord }) => {
    try {
      record = createSonarRecord({ facts, environment, allocation, log });
    } catch (error) {
      log.write('warn', 'No Sonar records of this node', { reason: (error as Error).message });
    }
  });
  let sampler: StepSampler | undefined;
  const samplerOf = (writesTo: SonarRecord) =>
    (sampler ??= createStepSampler({
      facts: runnerFacts,
      allocationId: jobIdOf(allocation),
      record: writesTo,
      log,
    }));

  return {
    ofSteps: {
      look: (processes, slurmSteps) => void (isRecorded && record?.look(processes, slurmSteps)),
      ended: (id, end) => record?.ended(id, end),
      finish: async () => record?.finish(),
      close: () => record?.close(),
    },
    async recorded(look) {
      isRecorded = true;
      try {
        return await look();
      } finally {
        isRecorded = false;
      }
    },
    sample(ids) {
      if (record !== undefined) samplerOf(record).sample(ids);
    },
    sampled(...ended) {
      if (record !== undefined) samplerOf(record).ended(...ended);
    },
    async close() {
      sampler?.close();
      await loading;
    },
  };
}
