import type { Allocation } from '../../cluster/batch/allocation.ts';
import { createGpuReader } from '../../cluster/gpu/read.ts';
import type { DetailedProcess } from '../../cluster/host/process-details.ts';
import type { ProcessSample } from '../../cluster/host/proc.ts';
import type { StepId } from '../../core/contract/files/job.ts';
import { encodeEnvelope } from '../../core/contract/sonar/encode.ts';
import { messageOriginOf } from '../../telemetry/produce/origin.ts';
import { NO_FILTERS } from '../../telemetry/produce/sample/filters.ts';
import { recorderOfThisNode } from '../../telemetry/produce/sample/this-node.ts';
import { appendLine, fileOf } from '../../telemetry/send/directory.ts';
import type { Log } from '../facts/log.ts';
import type { ProcessEnd } from '../launch/launcher.ts';
import type { RunFacts } from '../facts/run-facts.ts';

export interface SonarOptions {
  readonly facts: Pick<RunFacts, 'outputDir'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly allocation: Pick<Allocation, 'jobId' | 'step'> | undefined;
  readonly log: Log;
}

/**
 * Writes Sonar samples of the processes of steps, for a workflow that requests them.
 *
 * Samples go to `<output>/sonar/<cluster>/`, in the layout that sonalyze and `torc sonar ingest` read. The format has no
 * place for workflows and jobs. So links stand beside them, in files that end in `.links`: which process belongs to which
 * attempt, and what an attempt used in total, as its parent got it from the kernel, also if it was too short for a sample.
 */
export interface SonarRecord {
  /**
   * The processes of the running steps now. Returns at once; samples that would overlap are left out. `slurmSteps` names the
   * steps of Slurm of jobs that are not processes of the step in which this program runs.
   */
  look(processes: ReadonlyMap<StepId, readonly ProcessSample[]>, slurmSteps?: ReadonlyMap<StepId, string>): void;
  ended(id: StepId, end: Pick<ProcessEnd, 'pid' | 'cpuSeconds' | 'peakBytes'>): void;
  /** Resolves when everything is written. */
  finish(): Promise<void>;
  close(): void;
}

/** The folder of the records, within the output directory. */
const SONAR_FOLDER = 'sonar';

export function createSonarRecord({ facts, environment, allocation, log }: SonarOptions): SonarRecord {
  const origin = messageOriginOf({ cluster: undefined, hostnameOnly: true, environment });
  const folder = `${facts.outputDir}/${SONAR_FOLDER}/${origin.cluster}`;
  const ownStep = allocation?.step ?? '';
  const recorder = recorderOfThisNode({
    origin,
    load: true,
    rollUp: false,
    filters: NO_FILTERS,
    readGpus: createGpuReader(environment),
    slurm: allocation && { jobId: allocation.jobId, step: '' },
  });
  const linked = new Map<StepId, Set<string>>();
  let writing: Promise<void> | undefined;
  let isReported = false;

  const write = (extension: string, atMs: number, text: string) => {
    try {
      const path = fileOf({ type: 'sample', node: origin.node, atMs });
      appendLine(
        `${folder}/${extension === '' ? path : path.replace(/sample-(.*)\.json$/, `link-$1${extension}`)}`,
        text,
      );
      isReported = false;
    } catch (error) {
      if (!isReported)
        log.write('warn', 'Sonar records cannot be written', { folder, reason: (error as Error).message });
      isReported = true;
    }
  };
  const link = (atMs: number, facts: Readonly<Record<string, unknown>>) =>
    write('.links', atMs, JSON.stringify({ ...origin, time: Math.floor(atMs / 1000), ...facts }));

  const linksOf = (
    id: StepId,
    pids: ReadonlySet<number>,
    processes: readonly DetailedProcess[],
    epoch: number,
    atMs: number,
    slurmStep: string,
  ) => {
    const known = linked.get(id) ?? new Set<string>();
    linked.set(id, known);
    for (const { pid, startTicks, groupId, slurm } of processes) {
      const key = `${pid} ${startTicks}`;
      if (!pids.has(pid) || known.has(key)) continue;
      known.add(key);
      link(atMs, {
        kind: 'process',
        job: slurm?.jobId ?? groupId,
        epoch: slurm === undefined ? epoch : 0,
        pid,
        start: startTicks,
        ...attemptOf(id),
        ...(slurm === undefined
          ? {}
          : {
              slurm_job: slurm.jobId, // Without a control group of Slurm, only the variables of the process name its step.
              step: slurm.step || slurmStep,
            }),
      });
    }
  };

  return {
    look(steps, slurmSteps) {
      if (writing !== undefined || steps.size === 0) return;
      const all = [...steps.values()].flat();
      writing = recorder
        .take(() => all)
        .then(({ message, processes, epoch }) => {
          for (const [id, each] of steps)
            linksOf(
              id,
              new Set(each.map(({ pid }) => pid)),
              processes,
              epoch,
              message.atMs,
              slurmSteps?.get(id) ?? ownStep,
            );
          write('', message.atMs, encodeEnvelope(message.envelope));
        })
        .catch((error: unknown) => log.write('warn', 'No Sonar sample', { reason: (error as Error).message }))
        .finally(() => (writing = undefined));
    },
    ended(id, { pid, cpuSeconds, peakBytes }) {
      linked.delete(id);
      link(Date.now(), { kind: 'end', pid, ...attemptOf(id), cpu_seconds: cpuSeconds, peak_bytes: peakBytes });
    },
    finish: () => writing ?? Promise.resolve(),
    close: () => recorder.close(),
  };
}

/** Workflow, job, run and attempt in the name of a step. */
function attemptOf(id: StepId): Readonly<Record<string, number>> {
  const [workflow = 0, job = 0, run = 0, attempt = 0] = (/^wf(\d+)_j(\d+)_r(\d+)_a(\d+)$/.exec(id) ?? [])
    .slice(1)
    .map(Number);
  return { workflow, workflow_job: job, run, attempt };
}
