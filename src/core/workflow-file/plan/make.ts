import type { FileFate } from '../check/fates.ts';
import type { Draft } from '../link/draft.ts';
import type { Linked } from '../link/link.ts';
import { byLevel } from '../graph/walk.ts';
import type { Lists } from '../../lists/int-list.ts';
import { sequence } from '../../lists/sequence.ts';
import { JobWriter } from './job.ts';
import type { Plan } from './plan.ts';
import { FileWriter, UserDataWriter } from './records.ts';
import { executionConfigOf, workflowOf } from './workflow.ts';

export interface PlanParts {
  readonly draft: Draft;
  readonly linked: Pick<Linked, 'links' | 'graph' | 'explicit'>;
  readonly keyOf: Plan['keyOf'];
  /** The workflow's environment with its parameters inserted. */
  readonly env: Readonly<Record<string, string>> | undefined;
  readonly fateOf: (file: number) => FileFate;
  readonly globs: Plan['globs'];
  /** Per action the jobs that its trigger concerns. */
  readonly actionJobs: readonly Int32Array[];
}

/** The plan of a checked and linked draft. */
export function makePlan({ draft, linked, keyOf, env, fateOf, globs, actionJobs }: PlanParts): Plan {
  const { links, graph, explicit } = linked;
  const { spec, jobs, files, userData } = draft;
  const fileWriter = new FileWriter(files.families, fateOf);
  const userDataWriter = new UserDataWriter(userData.families);
  const jobWriter = new JobWriter(draft, links, fileWriter, userDataWriter);
  return {
    workflow: workflowOf(draft, env),
    jobs: sequence(jobs.length, (job) => jobWriter.job(job)),
    files: sequence(files.length, (file) => fileWriter.file(file)),
    userData: sequence(userData.length, (record) => userDataWriter.userData(record)),
    resourceRequirements: spec.resource_requirements ?? [],
    slurmSchedulers: spec.slurm_schedulers ?? [],
    failureHandlers: spec.failure_handlers ?? [],
    actions: (spec.actions ?? []).map((action, at) => ({ spec: action, jobs: actionJobs[at] ?? new Int32Array() })),
    globs,
    before: {
      jobs: spec.jobs.length,
      files: files.families.all.length,
      userData: spec.user_data?.length ?? 0,
    },
    levels: byLevel(explicit.levels),
    graph,
    jobName: (job) => jobs.nameAt(job),
    entryOf: (job) => jobs.families.familyOf(job).at,
    executionConfig: () => executionConfigOf(draft),
    keyOf,
    consumedFiles: () => namedBy(links.inputFiles, files),
    producedFiles: () => namedBy(links.outputFiles, files),
    producedUserData: () => namedBy(links.outputUserData, userData),
  };
}

/** The numbers of the records that lists of jobs name, by themselves or with patterns. */
function namedBy({ items }: Lists, { length, selections }: Pick<Draft['files'], 'length' | 'selections'>): Int32Array {
  const named = new Set<number>();
  for (const item of new Set(items)) {
    if (item < length) named.add(item);
    else for (const member of selections.membersOf(item - length)) named.add(member);
  }
  return Int32Array.from(named).sort();
}
