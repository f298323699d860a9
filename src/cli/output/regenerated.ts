import type { HpcProfile } from '../../hpc/profile.ts';
import { batchWords } from '../../core/allocation/batch-words.ts';
import { counted } from '../../core/quantity/count-text.ts';
import type { Regenerated, RegeneratedScheduler } from '../../operations/submit/regenerate.ts';

const schedulerJson = ({ id, planned, allocations, nodes, coveredBy }: RegeneratedScheduler) => ({
  ...(id === undefined ? {} : { id }),
  name: planned.name,
  account: planned.account,
  partition: planned.partition ?? null,
  walltime: planned.walltime,
  nodes,
  num_allocations: allocations,
  job_count: planned.group.jobs.length,
  has_dependencies: planned.group.isDeferred,
  ...(coveredBy.length === 0 ? {} : { existing_allocations: coveredBy.length }),
});

interface About {
  readonly workflowId: number;
  readonly isDryRun: boolean;
  readonly submits: boolean;
  readonly profile: HpcProfile;
}

export function regeneratedJson(found: Regenerated, { workflowId, isDryRun, submits, profile }: About) {
  const { schedulers, submitted, deferred, warnings, pendingJobs } = found;
  const total = totalOf(schedulers);
  const common = {
    workflow_id: workflowId,
    pending_jobs: pendingJobs,
    total_allocations: total,
    allocations_deferred: deferred,
    warnings,
  };
  if (isDryRun)
    return {
      dry_run: true,
      ...common,
      profile_name: profile.name,
      profile_display_name: profile.display_name,
      planned_schedulers: schedulers.map((each) => ({
        ...schedulerJson(each),
        mem: each.planned.mem,
        job_names: each.jobNames,
      })),
      would_submit: submits,
    };
  return {
    ...common,
    schedulers_created: schedulers.filter(({ id }) => id !== undefined).map(schedulerJson),
    allocations_submitted: submitted.length,
    submitted: submits,
  };
}

/** The lines of Torc 1.0.0, with what it does not count beside them: allocations that wait or run already. */
export function regeneratedText(found: Regenerated, about: About): string {
  const { workflowId, isDryRun } = about;
  if (found.pendingJobs === 0)
    return `No pending jobs (uninitialized, ready, or blocked) found in workflow ${workflowId}`;
  return (isDryRun ? plannedLines(found, about) : madeLines(found, about)).join('\n');
}

function plannedLines({ schedulers, existing }: Regenerated, { profile }: About): string[] {
  const { name, placeTitle } = batchWords(profile.system);
  return [
    `[DRY RUN] Would create the following ${name} schedulers:`,
    '',
    ...schedulers.flatMap((each) => {
      const { planned, allocations, nodes } = each;
      if (allocations === 0) return [`  ${enough(each)}`];
      const account = planned.account === '' ? '' : `Account: ${planned.account}, `;
      const deferred = planned.group.isDeferred ? ' (deferred - has dependencies)' : '';
      return [
        `  ${planned.name} - ${planned.group.jobs.length} job(s), ${allocations} allocation(s)${deferred}`,
        `    ${account}${placeTitle}: ${planned.partition ?? '<default>'}, Walltime: ${planned.walltime}, Nodes: ${nodes}`,
        `    Memory: ${planned.mem}${planned.partition === undefined ? `, on ${planned.on.name}` : ''}`,
      ];
    }),
    '',
    `Total allocations: ${totalOf(schedulers)}`,
    ...(existing > 0 ? [`Allocations that wait or run: ${existing}`] : []),
    `Profile: ${profile.display_name} (${profile.name})`,
  ];
}

function madeLines(
  { schedulers, submitted, deferred, pendingJobs, existing }: Regenerated,
  { workflowId, submits, profile }: About,
): string[] {
  const made = schedulers.filter(({ id }) => id !== undefined);
  return [
    `Regenerated ${batchWords(profile.system).name} schedulers for workflow ${workflowId}`,
    '',
    'Summary:',
    `  Pending jobs: ${pendingJobs}`,
    `  Schedulers created: ${made.length}`,
    submits
      ? `  Allocations submitted: ${submitted.length} (deferred: ${deferred})`
      : `  Total allocations: ${totalOf(schedulers)}`,
    ...(existing > 0 ? [`  Allocations that wait or run: ${existing}`] : []),
    `  Profile used: ${profile.display_name} (${profile.name})`,
    '',
    'Schedulers:',
    ...schedulers.map((each) => {
      const { id, planned, allocations, nodes } = each;
      if (allocations === 0) return `  - ${enough(each)}`;
      return `  - ${planned.name} (ID: ${id}): ${planned.group.jobs.length} job(s), ${allocations} allocation(s) × ${nodes} node(s)${planned.group.isDeferred ? ' [deferred]' : ''}`;
    }),
    ...(submits || made.length === 0
      ? []
      : [
          '',
          `To submit the allocations, run: torc submit ${workflowId}, or torc slurm regenerate ${workflowId} --submit`,
        ]),
  ];
}

const totalOf = (schedulers: readonly RegeneratedScheduler[]): number =>
  schedulers.reduce((sum, { allocations }) => sum + allocations, 0);

const enough = ({ planned, coveredBy }: RegeneratedScheduler): string =>
  `${planned.group.jobs.length} job(s): ${counted(coveredBy.length, 'allocation')} that ${coveredBy.length === 1 ? 'waits or runs is' : 'wait or run are'} enough`;
