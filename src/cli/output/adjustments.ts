import { alikeOf } from '../../core/text/alike.ts';
import { printableLine } from '../../core/text/printable.ts';
import { counted } from '../../core/quantity/count-text.ts';
import type { Adjustment } from '../../core/lifecycle/resources/used-jobs.ts';

export const adjustmentJson = ({ correction, before, after }: Adjustment) => ({
  resource_requirements_id: correction.requirementsId,
  resource_requirements_name: before.name,
  direction: correction.direction,
  ...(correction.isSplit ? { new_resource_requirements_name: after.name } : {}),
  job_ids: correction.jobs.map(({ id }) => id),
  job_names: correction.jobs.map(({ name }) => name),
  memory_adjusted: correction.memoryBytes !== undefined,
  ...(correction.memoryBytes === undefined ? {} : { original_memory: before.memory, new_memory: after.memory }),
  cpu_adjusted: correction.numCpus !== undefined,
  ...(correction.numCpus === undefined ? {} : { original_cpus: before.num_cpus, new_cpus: after.num_cpus }),
  runtime_adjusted: correction.runtimeSeconds !== undefined,
  ...(correction.runtimeSeconds === undefined ? {} : { original_runtime: before.runtime, new_runtime: after.runtime }),
});

/** `small (3 jobs): memory 2g → 4g, runtime PT30M → PT54M`. */
export function adjustmentLines({ correction, before, after }: Adjustment): string[] {
  const changes = [
    ...(correction.memoryBytes === undefined ? [] : [`memory ${before.memory} → ${after.memory}`]),
    ...(correction.numCpus === undefined ? [] : [`CPUs ${before.num_cpus} → ${after.num_cpus}`]),
    ...(correction.runtimeSeconds === undefined ? [] : [`runtime ${before.runtime} → ${after.runtime}`]),
  ];
  const [family] = alikeOf(
    correction.sharing,
    (job) => job.name,
    () => '',
  );
  const name = correction.isSplit ? `${after.name}, new, for ${printableLine(family?.name ?? '')}` : before.name;
  return [`  ${name} (${counted(correction.jobs.length, 'job')}): ${changes.join(', ')}`];
}
