import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { exactUint, GREATEST_UINT } from '../../../core/contract/sonar/extended-uint.ts';
import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import { mayLoseDigits, readSonarJson } from '../../../core/contract/sonar/read-json.ts';
import type { AttemptLink } from '../../store/rows/records.ts';

/** Links of one call of the store. */
const PORTION = 1000;

/**
 * The links of a file that a runner wrote beside its samples (ADR 46), in portions. A line that is no link of a process is passed
 * over: the runner may be writing it, and the totals of attempts stand there too.
 */
export async function* linksIn(path: string): AsyncGenerator<readonly AttemptLink[]> {
  let portion: AttemptLink[] = [];
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    const link = linkOf(line);
    if (link === undefined) continue;
    portion.push(link);
    if (portion.length < PORTION) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}

function linkOf(line: string): AttemptLink | undefined {
  let value: unknown;
  try {
    value = mayLoseDigits(line) ? readSonarJson(line) : JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const members = value as Readonly<Record<string, unknown>>;
  const { cluster, node, kind, step } = members;
  if (kind !== 'process' || typeof cluster !== 'string' || typeof node !== 'string') return undefined;
  const uint = (name: string) => uintOf(members[name]);
  const [job, epoch, pid, start, time] = [uint('job'), uint('epoch'), uint('pid'), uint('start'), uint('time')];
  const [workflow, workflowJob, run, attempt] = [uint('workflow'), uint('workflow_job'), uint('run'), uint('attempt')];
  const all = [job, epoch, pid, start, time, workflow, workflowJob, run, attempt];
  if (all.includes(undefined)) return undefined;
  const slurmJob = uint('slurm_job');
  return {
    cluster,
    node,
    job: job ?? 0,
    epoch: epoch ?? 0,
    pid: pid ?? 0,
    start: start ?? 0,
    time: Number(time),
    workflow: Number(workflow),
    workflowJob: Number(workflowJob),
    run: Number(run),
    attempt: Number(attempt),
    ...(slurmJob === undefined ? {} : { slurmJob }),
    ...(typeof step === 'string' ? { step } : {}),
  };
}

function uintOf(value: unknown): Uint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  return typeof value === 'bigint' && value >= 0n && value <= GREATEST_UINT ? exactUint(value) : undefined;
}
