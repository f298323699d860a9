import { type Amounts, entryOfLimit, familyLimit } from '../../job/amounts.ts';
import { isRemoved, isSpawned, type StoredJob, type StoredPlan } from '../update/stored.ts';

/** What a file can say of a workflow, and what it cannot, each as a sentence for people. */
export interface InFile {
  readonly stored: StoredPlan;
  readonly notes: readonly string[];
}

/**
 * A stored workflow without what no file has: jobs that an update removed or that jobs have added, what a recovery has added, rights.
 *
 * Jobs of one entry with `max_running` were written once and are written one by one now, so they share a limit by a name.
 */
export function inFile(stored: StoredPlan): InFile {
  const notes: string[] = [];
  const jobs = stored.jobs.filter((job) => !isRemoved(job) && !isSpawned(job));
  const spawned = stored.jobs.filter((job) => isSpawned(job) && !isRemoved(job)).length;
  if (spawned > 0)
    notes.push(`${spawned} ${spawned === 1 ? 'job' : 'jobs'} that jobs added while they ran: they add them again`);
  const groups = stored.workflow.access_groups ?? [];
  if (groups.length > 0) notes.push(`the access groups ${groups.join(', ')}`);
  const { additions: _read, ...metadata } = stored.workflow.metadata ?? {};
  const kept = new Set(jobs.map(({ id }) => id));
  const renamed = limitNames(stored.workflow.limits, jobs, notes);
  const named = (amounts: Amounts | null | undefined) =>
    amounts && Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [renamed.get(name) ?? name, amount]));
  return {
    notes,
    stored: {
      ...stored,
      workflow: { ...stored.workflow, metadata, limits: named(stored.workflow.limits) },
      actions: stored.actions.filter(({ is_recovery: isOfRecovery }) => isOfRecovery !== true),
      jobs: jobs.map((job) => ({
        ...job,
        licenses: named(job.licenses) ?? null,
        depends_on_job_ids: job.depends_on_job_ids?.filter((id) => kept.has(id)) ?? null,
      })),
    },
  };
}

/** The names of limits that only the jobs of an entry have, as a file may write them. */
function limitNames(
  limits: Amounts | null | undefined,
  jobs: readonly StoredJob[],
  notes: string[],
): ReadonlyMap<string, string> {
  const taken = new Set([...Object.keys(limits ?? {}), ...jobs.flatMap(({ licenses }) => Object.keys(licenses ?? {}))]);
  const names = new Map<string, string>();
  for (const limit of Array.from(taken)) {
    const entry = entryOfLimit(limit);
    if (entry === undefined) continue;
    const plain = `running_${entry.replaceAll(/\{[^}]*\}/g, '').replaceAll(/[^A-Za-z0-9_.@+-]+/g, '_')}`
      .slice(0, 56)
      .replace(/_+$/, '');
    let name = plain;
    for (let number = 2; taken.has(name); number += 1) name = `${plain}_${number}`;
    taken.add(name);
    names.set(familyLimit(entry), name);
    notes.push(`max_running of ${entry}: its jobs hold one of the limit ${name} in its place`);
  }
  return names;
}
