import { type ExitCodes, exitCodesOf } from '../../core/attempt/judge.ts';
import { jobStatus, statusCode, statusOf } from '../../core/contract/job.ts';
import type { CauseCode } from '../../core/contract/cause-code.ts';
import type { ResourceSuggestion, ResourceUse, ResourceUseClass } from '../../core/contract/view.ts';
import { isRaise, type SharingPart, sharingPartsOf } from '../../core/lifecycle/resources/correct-resources.ts';
import { withMoreGpu } from '../../core/lifecycle/resources/family-advice.ts';
import { createFamilyUses, NEED_FIELDS, USUAL_MULTIPLIERS } from '../../core/lifecycle/resources/family-use.ts';
import { type Timeout, timeoutOf } from '../../core/attempt/timeout.ts';
import { type Limits, limitsOfUse, type Use, useOf } from '../../core/lifecycle/resources/resource-use.ts';
import { formatMemory } from '../../core/quantity/bytes.ts';
import { formatRuntime } from '../../core/quantity/duration.ts';
import type { Store } from '../records/store.ts';
import { beginSlice } from '../store/slices.ts';
import { keptOf } from '../kept.ts';
import { eachPart, ROWS } from '../store/parts.ts';
import type { UsedRow, ViewQueries } from './queries.ts';

/** Classes and jobs that a person reads. */
const [MOST_CLASSES, MOST_NAMED, MOST_PARTS] = [50, 5, 20];
const COMPLETED = statusCode[jobStatus.enum.completed];

/** What jobs used beside what they asked for, by the requirements that they share. */
export function createResourceUse({ find }: Store, queries: ViewQueries) {
  const read = async (workflowId: number): Promise<ResourceUse> => {
    const slice = beginSlice();
    const { execution_config: execution } = find.wholeWorkflow(workflowId);
    const codes = exitCodesOf(execution);
    const classes = new Map(
      queries.requirements.all({ workflowId }).map((row) => {
        const asked = { memoryBytes: row.memory_bytes, numCpus: row.num_cpus, runtimeSeconds: row.runtime_s };
        const limits = limitsOfUse(row, asked);
        return [
          row.id,
          { row, limits, uses: createFamilyUses(limits, USUAL_MULTIPLIERS, 'advice'), totals: createTotals() },
        ] as const;
      }),
    );
    await eachPart(slice, (after) => {
      const rows = queries.used.all({ workflowId, after, limit: ROWS });
      for (const row of rows) {
        const of = classes.get(row.resource_requirements_id);
        const use = useOfRow(
          row,
          codes,
          timeoutOf(row, execution ?? {}, () => of?.limits.runtimeSeconds),
        );
        of?.totals.add(row, use);
        of?.uses.add({ name: row.name, isCompleted: row.status === COMPLETED, use });
      }
      return rows;
    });
    const found = [...classes.values()].flatMap(({ row, limits, uses, totals }): ResourceUseClass[] => {
      if (totals.jobs === 0) return [];
      const { id, name, num_cpus, num_gpus, memory, runtime } = row;
      const asked = { resource_requirements_id: id, name, num_cpus, num_gpus, memory, runtime };
      const { families } = uses;
      const lacking = families.reduce((sum, family) => sum + family.lacking, 0);
      // The default requirements limit nothing.
      const parts =
        name === 'default'
          ? []
          : sharingPartsOf(limits, families, USUAL_MULTIPLIERS, { downsizes: true, purpose: 'advice' });
      const suggestions = parts
        .toSorted((one, other) => Number(other.isSplit) - Number(one.isSplit))
        .slice(0, MOST_PARTS)
        .map((part) => suggestionOf(limits, part));
      return [
        {
          ...asked,
          ...totals.finish(),
          lacking,
          ...(suggestions.length === 0 ? {} : { suggestion: suggestions[0] }),
          ...(suggestions.length < 2 ? {} : { suggestions }),
        },
      ];
    });
    const largest = found.toSorted((one, other) => other.jobs - one.jobs);
    return { classes: largest.slice(0, MOST_CLASSES), classes_left_out: Math.max(0, largest.length - MOST_CLASSES) };
  };
  return keptOf(find, read);
}

function useOfRow(row: UsedRow, codes: ExitCodes, timeout: Timeout | undefined): Use | undefined {
  if (row.return_code === null || row.result_status === null) return undefined;
  return useOf(
    {
      status: statusOf(row.result_status),
      returnCode: row.return_code,
      causeCode: row.cause_code as CauseCode | null,
      seconds: row.seconds ?? 0,
      peakMemoryBytes: row.peak_memory_bytes ?? undefined,
      peakCpuPercent: row.peak_cpu_percent ?? undefined,
      meanCpuPercent: row.avg_cpu_percent ?? undefined,
      peakGpuBytes: row.peak_gpu_memory_bytes,
      gpuBytes: row.gpu_memory_bytes,
    },
    codes,
    timeout,
  );
}

/** The greatest use of a class, and the jobs that used most memory. */
function createTotals() {
  let [jobs, ended, longest] = [0, 0, 0];
  let cpu: number | undefined;
  let gpu: Pick<Use, 'peakGpuBytes' | 'gpuBytes'> | undefined;
  let most: ResourceUseClass['most_memory'] = [];
  return {
    get jobs() {
      return jobs;
    },
    add({ id, name }: UsedRow, use: Use | undefined) {
      jobs += 1;
      if (use === undefined) return;
      ended += 1;
      longest = Math.max(longest, use.seconds);
      gpu = withMoreGpu(gpu, use);
      if (use.peakCpuPercent !== undefined) cpu = Math.max(cpu ?? 0, use.peakCpuPercent);
      const bytes = use.peakMemoryBytes ?? 0;
      const least = most.length < MOST_NAMED ? 0 : (most.at(-1)?.peak_memory_bytes ?? 0);
      if (bytes <= least) return;
      most = [...most, { job_id: id, job_name: name, peak_memory_bytes: bytes }]
        .toSorted((one, other) => other.peak_memory_bytes - one.peak_memory_bytes)
        .slice(0, MOST_NAMED);
    },
    finish: () => ({
      jobs,
      ended,
      ...(ended === 0 ? {} : { longest_seconds: longest }),
      ...(cpu === undefined ? {} : { peak_cpu_percent: cpu }),
      ...(gpu === undefined ? {} : { peak_gpu_memory_bytes: gpu.peakGpuBytes, gpu_memory_bytes: gpu.gpuBytes }),
      ...(most[0] === undefined ? {} : { peak_memory_bytes: most[0].peak_memory_bytes }),
      most_memory: most,
    }),
  };
}

function suggestionOf(limits: Limits, { change, isSplit, families }: SharingPart): ResourceSuggestion {
  const { numCpus, memoryBytes, runtimeSeconds } = change;
  return {
    direction: NEED_FIELDS.some((resource) => isRaise(limits, change, resource)) ? 'upscale' : 'downscale',
    ...(isSplit ? { only_family: families[0]?.stem } : {}),
    ...(numCpus === undefined ? {} : { num_cpus: numCpus }),
    ...(memoryBytes === undefined ? {} : { memory: formatMemory(memoryBytes) }),
    ...(runtimeSeconds === undefined ? {} : { runtime: formatRuntime(runtimeSeconds) }),
  };
}
