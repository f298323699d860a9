import type { Client } from '../../client/client.ts';
import type { Allocation } from '../../cluster/batch/allocation.ts';
import type { AllocationParts } from '../../cluster/batch/batch-system.ts';
import type { CapacityNode } from '../claim/capacity.ts';
import { enforcesMemory, limitsCpus, writesSonar } from '../observe/plan.ts';
import { isBatched, type StartMode } from '../../core/allocation/execution-mode.ts';
import type { WorkflowFacts } from '../facts/workflow-facts.ts';
import { createDirectSteps } from '../step/direct/direct.ts';
import type { CurrentRun } from '../ledger/current-run.ts';
import { createSlurmSteps } from '../step/slurm/slurm.ts';
import type { SonarRecord } from '../step/sonar.ts';
import type { NodeShare } from '../step/batch/protocol.ts';
import type { Steps } from '../step/steps.ts';
import { type LimitOptions, limitJobs } from './limit-jobs.ts';

export interface StepsOptions extends LimitOptions {
  readonly mode: StartMode;
  readonly client: Client;
  readonly reads: Pick<WorkflowFacts, 'defaultRequirements'>;
  readonly run: CurrentRun;
  /** The end of the allocation as it is known now, in Unix milliseconds. */
  readonly endAtMs: () => number | undefined;
  /** The allocation in which the runner is. */
  readonly allocation: Allocation | undefined;
  readonly jobVariable: string | undefined;
  /** The batch system signals every process of the allocation (`Manner`). */
  readonly reachesAll: boolean;
  /** The nodes on which it starts jobs. */
  readonly nodes: readonly Pick<CapacityNode, 'name' | 'cpus' | 'memoryBytes'>[];
  /** The nodes of the allocation where no steps of a batch system start jobs; undefined where it has one. */
  readonly parts: AllocationParts | undefined;
  /** It is one of several runners in the allocation. */
  readonly isShared: boolean;
  /** The program that starts jobs inside a step. */
  readonly launcherProgram: readonly string[];
  /** No launcher starts on a node. */
  readonly onBroken: (node: string) => void;
}

/** The steps of a runner, in its mode. */
export async function createSteps(options: StepsOptions): Promise<Steps> {
  const { mode, client, reads, workflow, run, endAtMs, environment, allocation, reachesAll } = options;
  const { log } = run;
  if (mode === 'direct' || allocation === undefined) {
    const sonar = writesSonar(workflow) ? await sonarRecord(options) : undefined;
    const { limitsOf, groups, cpus } = await limitJobs(options);
    const { jobVariable } = options;
    const limited = { ...run, limitsOf };
    const openOwn = () =>
      createDirectSteps({
        facts: limited,
        environment,
        inside: { allocation, jobVariable, reachesAll },
        log,
        sonar,
        groups,
        cpus,
      });
    const { parts, nodes } = options;
    if (parts === undefined || allocation === undefined) return openOwn();
    if (parts.wordsOn === undefined && !options.isShared) return openOwn();
    const { createFarSteps } = await import('../step/far/far.ts');
    return createFarSteps({
      facts: run,
      environment,
      allocation,
      parts,
      nodes,
      shareOf: shareWithin(options),
      program: options.launcherProgram,
      defaultRequirementsId: await reads.defaultRequirements(),
      reachesAll,
      sonar: writesSonar(workflow),
      openOwn,
      onBroken: options.onBroken,
      log,
    });
  }
  const { jobs, granularity } = workflow.resource_monitor_config ?? {};
  const slurm = {
    facts: run,
    environment,
    allocation,
    endAtMs,
    defaultRequirementsId: await reads.defaultRequirements(),
    reachesAll,
    // A summary comes from the accounting alone.
    samples: (jobs?.granularity ?? granularity) === 'time_series',
    client,
    log,
  };
  const inside = { ...slurm, nodes: options.nodes, program: options.launcherProgram };
  const sonar = writesSonar(workflow);
  if (isBatched(mode, run.execution)) {
    const { createBatchSteps } = await import('../step/batch/batch.ts');
    return createBatchSteps({ ...inside, sonar });
  }
  if (!sonar) return createSlurmSteps(slurm);
  const { createSampledSteps } = await import('../step/batch/sampled.ts');
  return createSampledSteps(createSlurmSteps(slurm), inside);
}

/** What jobs may use of another node: what limits those of the runner's own node, except for control groups. */
const shareWithin =
  ({ workflow, nodes }: StepsOptions) =>
  (name: string): NodeShare => {
    const node = nodes.find((each) => each.name === name);
    return {
      cpus: limitsCpus(workflow) ? node?.cpus : undefined,
      memoryBytes: node?.memoryBytes,
      enforcesMemory: enforcesMemory(workflow),
    };
  };

/** Loaded for workflows that request it. */
async function sonarRecord({ run, environment, allocation }: StepsOptions): Promise<SonarRecord | undefined> {
  const { createSonarRecord } = await import('../step/sonar.ts');
  try {
    return createSonarRecord({ facts: run, environment, allocation, log: run.log });
  } catch (error) {
    run.log.write('warn', 'No Sonar records of this run', { reason: (error as Error).message });
    return undefined;
  }
}
