import type { LimitedJobs, LimitInUse, LimitScope, WaitingLimit } from '../../contract/waiting-limit.ts';
import { entryOfLimit } from '../../job/amounts.ts';
import { counted, grouped } from '../../quantity/count-text.ts';

/** A limit that no job like this one will ever fit into. */
export const isImpossible = ({ needs, most }: Pick<WaitingLimit, 'needs' | 'most'>): boolean => needs > most;

/**
 * Why a limit keeps a job waiting: `waits for 1 of 4 matlab; held by train_7 (workflow 3) and 3 other jobs`. `workflowId` is that of the
 * job: holders of the same workflow are named by their ids.
 */
export const waitingLimitWords = (waiting: WaitingLimit, workflowId: number): string =>
  wordsOf(waiting, workflowId, ['waits', 'needs', 'it']);

/** The same for some of the ready jobs of a workflow: `3 ready jobs wait for 1 of 4 matlab; held by …`. */
export const limitedJobsWords = (limit: LimitedJobs, workflowId: number): string =>
  `${counted(limit.jobs, 'ready job')} ${limitedWords(limit, workflowId)}`;

/** The same without their number. */
export const limitedWords = (limit: LimitedJobs, workflowId: number): string =>
  wordsOf(limit, workflowId, limit.jobs === 1 ? ['waits', 'needs', 'it'] : ['wait', 'need', 'they']);

function wordsOf(
  waiting: WaitingLimit,
  workflowId: number,
  [waits, needsIt, it]: readonly [string, string, string],
): string {
  const { needs, most } = waiting;
  if (isImpossible(waiting))
    return `${needsIt} ${grouped(needs)} of ${limitName(waiting)}, and at most ${grouped(most)} may be held: ${it} can never run`;
  return `${waits} for ${limitWords(waiting)}; ${holderWords(waiting, workflowId)}`;
}

/** `1 of 4 matlab`, `2 of 20 cores of its user`. */
export function limitWords(limit: Omit<LimitInUse, 'held'>): string {
  const { name, needs, most } = limit;
  const entry = entryOfLimit(name);
  if (entry === undefined) return `${grouped(needs)} of ${grouped(most)} ${limitName(limit)}`;
  return `${most === 1 ? 'the only job' : `one of the ${grouped(most)} jobs`} of ${entry} that may run at a time`;
}

/** The name of a limit, with whose jobs are counted where that is not the server: `cores of its user`. */
export function limitName({ name, scope }: Pick<WaitingLimit, 'name' | 'scope'>): string {
  return `${name}${WHOSE[scope]}`;
}

const WHOSE = {
  server: '',
  user: ' of its user',
  workflow: ' of its workflow',
  allocation: ' that its allocation holds',
} as const satisfies Record<LimitScope, string>;

function holderWords({ held, holders, others, hidden }: WaitingLimit, workflowId: number): string {
  const named = holders.map(({ job_id, job_name, workflow_id }) =>
    workflow_id === workflowId
      ? `${shortened(job_name)} (job ${job_id})`
      : `${shortened(job_name)} (workflow ${workflow_id})`,
  );
  const rest = [
    ...(others > 0 ? [counted(others, named.length === 0 ? 'job' : 'other job')] : []),
    ...(hidden > 0 ? [`${counted(hidden, 'job')} of other users`] : []),
  ];
  const all = [...named, ...rest];
  if (all.length === 0) return `${grouped(held)} are held`;
  const last = all.pop() as string;
  return `held by ${all.length === 0 ? last : `${all.join(', ')} and ${last}`}`;
}

/** A name may have thousands of characters. */
const shortened = (name: string) => (name.length > 60 ? `${name.slice(0, 57)}…` : name);
