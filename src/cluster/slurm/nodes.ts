import { runHelper } from '../exec.ts';
import { slurmProgram } from './programs.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const SCONTROL_MS = 20_000;

/** The names of the nodes of this process's allocation, in Slurm's order. Throws `HelperFailed`. */
export async function nodeNames(environment: Environment): Promise<string[]> {
  const list = environment['SLURM_JOB_NODELIST'] ?? environment['SLURM_NODELIST'] ?? '';
  if (list === '') return [];
  if (!list.includes('[')) return list.split(',');
  const program = slurmProgram('scontrol', environment);
  const text = await runHelper(program, ['show', 'hostnames', list], { atMostMs: SCONTROL_MS, environment });
  return text.split('\n').filter((name) => name !== '');
}

/**
 * The CPUs of the allocation, node by node, from `SLURM_JOB_CPUS_PER_NODE` such as `72(x2),36`; undefined if the text is
 * none of this shape.
 */
export function cpusPerNode(text: string | undefined): number[] | undefined {
  const cpus: number[] = [];
  for (const part of (text ?? '').split(',')) {
    const match = /^(\d+)(?:\(x(\d+)\))?$/.exec(part.trim());
    if (match === null) return undefined;
    const times = Number(match[2] ?? 1);
    if (times > MOST_NODES) return undefined;
    for (let node = 0; node < times; node += 1) cpus.push(Number(match[1]));
  }
  return cpus;
}

/** No allocation has more. A larger number is an error, which must not become a list of billions. */
const MOST_NODES = 100_000;
