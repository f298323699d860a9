import { resolve as absolute } from 'node:path';
import type { Allocation } from '../../../cluster/batch/allocation.ts';
import { steadyNow } from '../../../client/steady-clock.ts';
import { programOn } from '../../../cluster/program-on.ts';
import { slurmProgram } from '../../../cluster/slurm/programs.ts';
import { standardExecution, terminationOf } from '../../../core/attempt/execution.ts';
import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import { timeoutOfClaimed } from '../../../core/attempt/timeout.ts';
import { type StepId, stepIdOf } from '../../../core/contract/files/job.ts';
import type { LaunchRequest } from '../../launch/launcher.ts';
import { plainWords } from '../../launch/plain-words.ts';
import { changesBash } from '../../launch/without-bash.ts';
import type { RunFacts } from '../../facts/run-facts.ts';
import { launchRequestOf, runVariables } from '../request.ts';
import { inheritedInputs, leastMinutes, srunOptions, srunWords, stepMinutes, tooManyCpus } from './srun.ts';
import { wrapper } from './wrapper.ts';

export interface CommandOptions {
  readonly facts: RunFacts;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly allocation: Pick<Allocation, 'jobId' | 'nodes' | 'hasGpus' | 'cpus' | 'cpusPerNode' | 'memoryBytes'>;
  /** A moment of `steadyNow`. */
  readonly endAtMs: () => number | undefined;
  /** The requirements that stand for none. */
  readonly defaultRequirementsId: number | undefined;
  /** Slurm signals every process of a step (`Manner`). */
  readonly reachesAll: boolean;
}

/** How a job is started as a step: the process to launch, or why it is not. */
export type StepCommand =
  | { readonly request: LaunchRequest; readonly limitSeconds: number | undefined }
  | {
      readonly refusal: string;
    };

export interface StepStart {
  /** The nodes of its lease. */
  readonly nodes: readonly string[];
  /** The file in which the wrapper of the command writes. */
  readonly mark: string;
  /** It starts beside steps that Slurm counts, although they have ended. */
  readonly overlaps: boolean;
}

/** Makes the command line of a step from its job and the nodes of its lease. */
export function createStepCommands({
  facts,
  environment,
  allocation,
  endAtMs,
  defaultRequirementsId,
  reachesAll,
}: CommandOptions): (job: ClaimedJob, start: StepStart) => StepCommand {
  const { execution } = facts;
  const srun = slurmProgram('srun', environment);
  // Started without a shell: bash would take 2 of the 50 ms of CPU time of a short step.
  const path = srun.includes('/') ? srun : (programOn(environment['PATH'], srun) ?? srun);
  const headroom = execution.sigkill_headroom_seconds ?? standardExecution.sigkill_headroom_seconds;
  const ofRun = new Set(runVariables(facts).map(([name]) => name));
  const inherited = inheritedInputs(environment).filter((name) => !ofRun.has(name));
  const { leadSeconds } = terminationOf(execution);
  const hasGpus = allocation.hasGpus === true;
  const shell = wrapper({ reachesAll });
  const isPlain = !changesBash(Object.entries(environment));
  // Where tasks may share CPUs, Slurm 22.05 counts none.
  const granted = environment['SLURM_OVERCOMMIT'] === undefined ? allocation : undefined;

  return (job, { nodes, mark, overlaps }) => {
    const isLimited = job.resource_requirements_id !== defaultRequirementsId;
    const tooWide = isLimited && granted !== undefined ? tooManyCpus(job, granted) : undefined;
    if (tooWide !== undefined) return { refusal: tooWide };
    const { minutes, refusal } = stepMinutes(job, steadyNow(), endAtMs(), headroom);
    if (refusal !== undefined) return { refusal };
    const id: StepId = stepIdOf(facts, job);
    const options = srunOptions(job, {
      jobId: allocation.jobId,
      id,
      nodes,
      isMultiNode: allocation.nodes > 1,
      hasGpus,
      isLimited,
      bindsCpus: execution.enable_cpu_bind === true,
      overlaps,
      timeMinutes: leastMinutes(minutes, timeoutOfClaimed(job, execution, defaultRequirementsId), leadSeconds),
      signal: execution.srun_termination_signal ?? undefined,
    });
    const request = launchRequestOf(facts, job, []);
    const own = new Set(request.variables.map(([name]) => name));
    const words = isPlain && !changesBash(request.variables) ? plainWords(request.script) : undefined;
    // A step may begin in another folder than that of the runner.
    const output = { stdout: absolutely(request.stdout), stderr: absolutely(request.stderr) };
    const program = { path, words: srunWords(options, { shell, mark, output, command: request.script, words }) };
    const without = new Set(inherited.filter((name) => !own.has(name)));
    const limitSeconds = minutes === undefined ? undefined : minutes * 60;
    return { request: { ...request, program, without }, limitSeconds };
  };
}

const absolutely = (path: string | undefined) => (path === undefined ? undefined : absolute(path));
