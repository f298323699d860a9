import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import type { Unclaimable } from '../../core/contract/unclaimable.ts';
import { timeOfNode } from '../../core/lifecycle/placement/obstacles.ts';
import { runtimeFit, type Spread, spreadOf } from '../../core/lifecycle/placement/runtime-fit.ts';
import { runtimeOf } from '../../core/lifecycle/resources/resource-use.ts';
import { unrunnableJobs } from '../submit/unrunnable.ts';

/** The time that ready jobs request, beside the time that is left to the runners. */
export interface Diagnosis {
  readonly runners: number;
  /** Runners that end at no known time. */
  readonly unlimitedRunners: number;
  readonly readyJobs: number;
  readonly readyJobsWithRuntime: number;
  /** Seconds left to the runners with an end. */
  readonly remaining: Spread;
  /** Seconds that the ready jobs request. */
  readonly requested: Spread;
  /** Ready jobs for which every runner that could take them ends too early. */
  readonly blocked: number;
  readonly tooShort: number;
  /** Ready jobs that no allocation of the workflow could ever run. */
  readonly unrunnable: Unclaimable | undefined;
}

/** Whether ready jobs lack only time. */
export async function diagnose(client: Client, id: number, nowMs: number): Promise<Diagnosis> {
  const jobs = await all((page) => client.listJobs({ query: { workflow_id: id, status: 'ready', ...page } }));
  const needs = await all((page) => client.listResourceRequirements({ query: { workflow_id: id, ...page } }));
  const nodes = await all((page) => client.listComputeNodes({ query: { workflow_id: id, is_active: true, ...page } }));

  const runtimes = new Map(needs.map((each) => [each.id, runtimeOf(each)]));
  const ready = jobs.flatMap(({ resource_requirements_id: needed, labels }) => {
    const runtimeSeconds = runtimes.get(needed ?? 0);
    return runtimeSeconds === undefined ? [] : [{ runtimeSeconds, labels: labels ?? [] }];
  });
  const { execution_config: execution } = await client.getWorkflow({ params: { id } });
  const allocations = nodes.map((node) => ({
    labels: node.labels ?? [],
    time: timeOfNode(node, execution, nowMs),
  }));
  const left = allocations.flatMap(({ time }) => (time === undefined ? [] : [Math.floor(time.leftSeconds)]));
  const { blocked, tooShort } = runtimeFit(ready, allocations);
  const remaining = spreadOf(left);
  const requested = spreadOf(ready.map(({ runtimeSeconds }) => runtimeSeconds));
  return {
    runners: allocations.length,
    unlimitedRunners: allocations.length - left.length,
    readyJobs: jobs.length,
    readyJobsWithRuntime: ready.length,
    remaining,
    requested,
    blocked,
    tooShort,
    unrunnable: await unrunnableJobs(client, id),
  };
}
