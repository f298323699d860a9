import { startCompanion } from '../../../cluster/exec.ts';
import { slurmProgram } from '../../../cluster/slurm/programs.ts';
import { inheritedInputs } from '../slurm/srun.ts';
import type { CarrierOptions } from './carrier.ts';

export interface LongStep {
  readonly node: string;
  /** The name of the step. */
  readonly name: string;
  readonly allocation: { readonly jobId: number; readonly nodes: number };
  /** The CPUs of the allocation on this node, if they are known. */
  readonly cpus: number | undefined;
  /** What runs in the step: a program and its arguments. */
  readonly program: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Our launcher in a long step of Slurm on one node: srun carries its input and output. */
export function longStep(step: LongStep): Pick<CarrierOptions, 'node' | 'starter' | 'open'> {
  const { node, name, program, environment } = step;
  const inherited = new Set(inheritedInputs(environment));
  const own = Object.fromEntries(Object.entries(environment).filter(([variable]) => !inherited.has(variable)));
  return {
    node,
    starter: 'srun',
    open: (lines) =>
      startCompanion(slurmProgram('srun', environment), [...longStepOptions(step), ...program, name], {
        environment: own,
        ...lines,
      }),
  };
}

/** srun's options for the step: all that the allocation has on the node, shared with the steps of jobs on several nodes. */
export const longStepOptions = ({
  node,
  name,
  allocation,
  cpus,
}: Pick<LongStep, 'node' | 'name' | 'allocation' | 'cpus'>): string[] => [
  `--jobid=${allocation.jobId}`,
  '--ntasks=1',
  '--overlap',
  `--job-name=${name}`,
  ...(allocation.nodes > 1 ? [`--nodelist=${node}`] : []),
  '--nodes=1',
  ...(cpus === undefined ? [] : [`--cpus-per-task=${cpus}`]),
  // All of the memory on the node.
  '--mem=0',
];
