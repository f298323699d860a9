import { readFileSync } from 'node:fs';
import { parsePbsBytes } from '../../core/allocation/chunks.ts';
import type { Allocation } from '../batch/allocation.ts';
import type { AllocationParts } from '../batch/batch-system.ts';
import type { PbsRecord } from './dsv.ts';
import { jobOfPbsId } from './ids.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The number of the job of a process, which its script sets: `PBS_JOBID` has the name of the server behind it. */
export const PBS_JOB_VARIABLE = 'TORC_PBS_JOB';

/** When the script of an allocation began, in Unix seconds by the clock of its node, which also counts its walltime. */
export const BEGAN_VARIABLE = 'TORC_PBS_BEGAN';

/** The script of an allocation whose runner may start programs on its other nodes: with `on` as its first word it runs the others there. */
export const SCRIPT_VARIABLE = 'TORC_PBS_SCRIPT';
export const ON_NODE = 'on';

/**
 * The allocation of a process with these variables; undefined outside of a PBS job. Undefined too in a job of an array, which has no
 * number of its own.
 *
 * CPUs are those of the chunk of this node; memory and GPUs stand in no variable.
 */
export function pbsAllocationOf(environment: Environment): Allocation | undefined {
  const jobId = jobOfPbsId(environment['PBS_JOBID'] ?? '');
  if (typeof jobId !== 'number' || !environment['PBS_ENVIRONMENT']) return undefined;
  const number = (name: string) => (/^\d+$/.test(environment[name] ?? '') ? Number(environment[name]) : undefined);
  const nodes = nodesIn(environment['PBS_NODEFILE']);
  const began = number(BEGAN_VARIABLE);
  return {
    jobId,
    nodeId: number('PBS_NODENUM') ?? 0,
    taskPid: process.pid,
    nodes: Math.max(1, nodes.length),
    nodeList: nodes.join(','),
    cpus: number('NCPUS'),
    memoryBytes: undefined,
    gpus: environment['CUDA_VISIBLE_DEVICES']?.split(',').filter((device) => /^\d+$/.test(device)),
    hasGpus: Boolean(environment['CUDA_VISIBLE_DEVICES']),
    ...(began === undefined ? {} : { beganAtMs: began * 1000 }),
    restarts: 0,
    step: '',
    isInStep: false,
    canStartSteps: false,
  };
}

const nodesIn = (file: string | undefined): string[] => [...new Set(linesIn(file))];

/** Each node has a line for each of its MPI processes. Only the nodes of a job have the file. */
function linesIn(file: string | undefined): string[] {
  try {
    const lines = readFileSync(file ?? '', 'utf8').split('\n');
    return lines.map((line) => line.trim()).filter((line) => line !== '');
  } catch {
    return [];
  }
}

/** `pbs_tmrsh` has no input, gives the exit code of the program, and starts it with variables of PBS alone: the script has the others. */
export function pbsPartsOf(
  { nodes, nodeId }: Pick<Allocation, 'nodes' | 'nodeId'>,
  environment: Environment,
): AllocationParts | undefined {
  if (nodes <= 1) return undefined;
  const lines = linesIn(environment['PBS_NODEFILE']);
  const script = environment[SCRIPT_VARIABLE];
  return {
    ownNode: [...new Set(lines)][nodeId] ?? '',
    wordsOn: script ? (node, program) => ['pbs_tmrsh', node, '/bin/bash', script, ON_NODE, ...program] : undefined,
    fileOf: (part) => ({
      variable: 'PBS_NODEFILE',
      text: lines
        .filter((line) => part.includes(line))
        .map((line) => `${line}\n`)
        .join(''),
    }),
  };
}

/** What a job has of one of its nodes. */
export interface PbsShare {
  readonly node: string;
  readonly cpus: number;
  readonly memoryBytes: number | undefined;
  readonly gpus: number;
}

/** The nodes of a job with what it has of each, from `(n1:ncpus=2:mem=512000kb:ngpus=1)+(n2:ncpus=2)`; chunks on one node are added. */
export function sharesIn({ fields }: PbsRecord): PbsShare[] {
  const shares = new Map<string, PbsShare>();
  for (const [, chunk = ''] of (fields.get('exec_vnode') ?? '').matchAll(/\(([^)]*)\)/g))
    for (const part of chunk.split('+')) {
      const [node = '', ...values] = part.split(':');
      const of = (name: string) => values.find((value) => value.startsWith(`${name}=`))?.slice(name.length + 1);
      const memoryBytes = parsePbsBytes(of('mem'));
      const before = shares.get(node);
      shares.set(node, {
        node,
        cpus: (before?.cpus ?? 0) + Number(of('ncpus') ?? 0),
        memoryBytes: memoryBytes === undefined ? before?.memoryBytes : memoryBytes + (before?.memoryBytes ?? 0),
        gpus: (before?.gpus ?? 0) + Number(of('ngpus') ?? 0),
      });
    }
  return [...shares.values()];
}
