import type { RaisedNeed } from '../../../core/contract/exchange.ts';
import { memoryAmountText, raisedName } from '../../../core/lifecycle/retry/cause-verdict.ts';
import { formatDuration } from '../../../core/quantity/duration.ts';
import { createClasses } from '../job/class.ts';
import type { Store } from '../store.ts';
import { raiseQueries, requirementsQueries } from './queries.ts';

/**
 * Raises the requirements of one job. Requirements are shared, so the job gets a record of its own; jobs that are raised alike
 * share that one, so that a hundred thousand of them are still few classes. The requirements `default` set no limit and stay.
 *
 * Returns what the job has from now on, in the form of a workflow file.
 */
export const createRaise = ({ db, find }: Pick<Store, 'db' | 'find'>) => {
  const queries = raiseQueries(db);
  const { insertRequirements } = requirementsQueries(db);
  const classes = createClasses(db);

  return (jobId: number, raise: RaisedNeed): { memory: string; runtime: string } | undefined => {
    const job = find.job(jobId);
    const { workflow_id: workflowId } = job;
    const before = queries.requirements.get({ id: job.resource_requirements_id });
    if (before === undefined || before.name === 'default') return undefined;
    const { num_cpus, num_gpus, num_nodes, licenses } = before;
    const memory_bytes = raise.memory_bytes ?? before.memory_bytes;
    const runtime_s = raise.runtime_seconds ?? before.runtime_s;
    const memory = raise.memory_bytes ? memoryAmountText(memory_bytes) : before.memory;
    const runtime = raise.runtime_seconds ? formatDuration(runtime_s) : before.runtime;
    const name = raisedName(before.name, memory, runtime);
    const wanted = { workflow_id: workflowId, name, num_cpus, num_gpus, num_nodes, memory_bytes, runtime_s, licenses };
    const requirementsId = queries.same.get(wanted)?.id ?? insertRequirements.insert({ ...wanted, memory, runtime });
    const classId = classes(workflowId)(requirementsId, job);
    queries.change.run({ id: jobId, requirementsId, classId });
    return { memory, runtime };
  };
};
