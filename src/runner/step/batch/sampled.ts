import type { StepId } from '../../../core/contract/files/job.ts';
import type { SlurmStepOptions } from '../slurm/slurm.ts';
import type { StepAccount, Steps } from '../steps.ts';
import { type Carrier, startCarrier } from './carrier.ts';
import { longStep } from './long-step.ts';

export interface SampledStepsOptions extends Pick<
  SlurmStepOptions,
  'facts' | 'environment' | 'allocation' | 'reachesAll' | 'log'
> {
  readonly nodes: readonly { readonly name: string; readonly cpus: number | undefined }[];
  /** The program that takes the samples on a node. */
  readonly program: readonly string[];
}

/**
 * Steps of Slurm with Sonar samples of their processes. These are seen on their own nodes alone, so a step of ours stands
 * on each node that has some, and takes the samples at the times at which the runner looks at its jobs.
 */
export function createSampledSteps(steps: Steps, options: SampledStepsOptions): Steps {
  const { facts, environment, allocation, reachesAll, nodes, program, log } = options;
  const carriers = new Map<string, Carrier>();
  const places = new Map<StepId, readonly Carrier[]>();

  const carrierOn = (node: string): Carrier => {
    const present = carriers.get(node);
    if (present !== undefined) return present;
    const carrier = startCarrier({
      ...longStep({
        node,
        name: `wf${facts.workflowId}_r${facts.runId}_samples_${node}`,
        allocation,
        cpus: nodes.find(({ name }) => name === node)?.cpus,
        program,
        environment,
      }),
      log,
      // It starts no jobs.
      begin: { do: 'begin', facts, sonar: true, beside: { defaultRequirementsId: undefined, bytes: 0, reachesAll } },
      nothingLeft: async () => {},
      onReported() {},
      onGone: (words) => log.write('info', 'The step that takes samples has ended', { node, reason: words }),
    });
    carriers.set(node, carrier);
    return carrier;
  };

  const reportEnd = (id: StepId, account: StepAccount): StepAccount => {
    const { peakBytes, refused } = account;
    const cpuSeconds = account.totalCpuSeconds ?? account.cpuSeconds;
    if (refused === undefined)
      for (const carrier of places.get(id) ?? [])
        carrier.order({
          do: 'sampled',
          id,
          ...(cpuSeconds === undefined ? {} : { cpuSeconds }),
          ...(peakBytes === undefined ? {} : { peakBytes }),
        });
    places.delete(id);
    return account;
  };

  return {
    ...steps,
    start(job, lease) {
      const started = steps.start(job, lease);
      const names = lease.nodes.length > 0 ? lease.nodes : nodes.map(({ name }) => name);
      places.set(started.id, names.map(carrierOn));
      return started;
    },
    observe(ids) {
      for (const carrier of carriers.values()) {
        const own = [...ids].filter((id) => places.get(id)?.includes(carrier) === true);
        if (own.length > 0) carrier.order({ do: 'sample', ids: own });
      }
      return steps.observe(ids);
    },
    account(end) {
      const account = steps.account(end);
      return account instanceof Promise
        ? account.then((later) => reportEnd(end.id, later))
        : reportEnd(end.id, account);
    },
    async finish() {
      await Promise.all([steps.finish(), ...[...carriers.values()].map((carrier) => carrier.end())]);
    },
    close() {
      steps.close();
      for (const carrier of carriers.values()) carrier.close();
    },
  };
}
