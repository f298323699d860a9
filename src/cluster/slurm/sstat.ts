import { parseSlurmMemory } from '../../core/quantity/bytes.ts';
import { parseCpuTime } from '../../core/quantity/slurm-time.ts';
import type { AskSlurm } from './programs.ts';
import { figureIn } from './text.ts';

export interface StepFigures {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

const AT_MOST_MS = 20_000;

/** The present use of the running steps of a job, by id. */
export const stepUsesOf = async (ask: AskSlurm, jobId: number): Promise<ReadonlyMap<string, StepFigures>> =>
  parseStepUses(
    await ask('sstat', ['-a', '-j', String(jobId), '--format', 'JobID,AveCPU,MaxRSS', '-P', '-n'], AT_MOST_MS),
  );

/** The lines of `sstat -P -n --format JobID,AveCPU,MaxRSS`. Lines that are cut off are passed over. */
export function parseStepUses(text: string): ReadonlyMap<string, StepFigures> {
  const uses = new Map<string, StepFigures>();
  for (const line of text.split('\n')) {
    const [id, cpu, memory] = line.trim().split('|');
    if (id === undefined || cpu === undefined || memory === undefined || !/^\d+\.\d+$/.test(id)) continue;
    const cpuSeconds = figureIn(cpu, parseCpuTime);
    const memoryBytes = figureIn(memory, parseSlurmMemory);
    if (cpuSeconds !== undefined && memoryBytes !== undefined) uses.set(id, { cpuSeconds, memoryBytes });
  }
  return uses;
}
