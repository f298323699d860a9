import { type Tested, testOnly } from '../../cluster/slurm/sbatch.ts';
import type { OnSlow } from '../../cluster/slurm/slow.ts';
import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import { cpusToAsk } from '../../core/allocation/cpu-request.ts';
import { submissionScript } from '../../core/allocation/submission-script.ts';
import type { SlurmScheduler } from '../../core/contract/scheduling.ts';
import { requestOf } from '../../core/allocation/request.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A scheduler, and what Slurm says of its allocations without submitting one. */
export interface TestedScheduler {
  readonly name: string;
  /** What decides whether Slurm takes it at all. */
  readonly asks: Pick<SlurmScheduler, 'account' | 'qos' | 'partition'>;
  readonly tested: Tested;
}

/** The options of an allocation that Slurm is asked about. */
export type TestedOptions = Parameters<typeof submissionScript>[0]['scheduler'];

/** Whether Slurm can be asked: a stand-in for sbatch would take the question for a submission. */
export const canTest = (environment: Environment): boolean => (environment['TORC_FAKE_SBATCH'] ?? '') === '';

/** Asks Slurm about one allocation with these options; the script itself does not matter. */
export const testAllocation = (
  scheduler: TestedOptions,
  defaults: Readonly<Record<string, unknown>>,
  {
    environment,
    additions = {},
    onSlow,
  }: {
    readonly environment: Environment;
    readonly additions?: Record<string, string>;
    readonly onSlow?: OnSlow | undefined;
  },
): Promise<Tested> => {
  const runner = { url: '', workflowId: 0, outputDir: '.', pollIntervalSeconds: 1 };
  const script = submissionScript({ jobName: 'torc-test', scheduler, defaults, additions, runner });
  return testOnly(script, environment, onSlow);
};

/** Asks Slurm about an allocation of each scheduler for which the due actions of a workflow submit some. */
export async function testDueActions(
  client: Client,
  workflowId: number,
  environment: Environment,
  onSlow?: OnSlow,
): Promise<TestedScheduler[]> {
  if (!canTest(environment)) return [];
  const due = await client.listPendingActions({ params: { id: workflowId } });
  const ids = new Set(due.flatMap((action) => requestOf(action)?.schedulerId ?? []));
  if (ids.size === 0) return [];
  const workflow = await client.getWorkflow({ params: { id: workflowId } });
  const query = { workflow_id: workflowId };
  const needs = await all((page) => client.listResourceRequirements({ query: { ...query, ...page } }));
  const defaults = workflow.slurm_defaults ?? {};
  const found: TestedScheduler[] = [];
  for (const id of ids) {
    const scheduler: SlurmScheduler = await client.getSlurmScheduler({ params: { id } });
    const cpus = cpusToAsk({ defaults, extra: scheduler.extra }, needs);
    const additions: Record<string, string> = cpus === undefined ? {} : { 'cpus-per-task': String(cpus) };
    const tested = await testAllocation(scheduler, defaults, { environment, additions, onSlow });
    found.push({ name: scheduler.name ?? String(id), asks: scheduler, tested });
  }
  return found;
}
