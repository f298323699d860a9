import type { WaitingLimit } from '../../contract/waiting-limit.ts';
import { isImpossible, waitingLimitWords } from '../placement/waiting-limit.ts';
import type { Explanation, JobFacts } from './job-facts.ts';

type Wait = Omit<Explanation, 'kind'>;

/** A limit without room keeps a job from every runner; what else keeps it waiting, `wait`, is said besides. */
export function limitedWait(wait: Wait, job: JobFacts, hasRunner: boolean): Wait {
  const { limits = [], workflow } = job;
  if (limits.length === 0) return wait;
  const reasons = limits.map((limit) => ({
    code: 'limit',
    message: waitingLimitWords(limit, workflow.id),
    ...(limit.holders[0] === undefined ? {} : { job_id: limit.holders[0].job_id }),
  }));
  const others = wait.reasons.filter(({ code }) => code !== 'soon');
  const never = limits.find(isImpossible);
  if (never !== undefined)
    return {
      headline: 'is ready, and a limit is lower than what it needs',
      reasons: [...reasons, ...others],
      next: raiseLimit(never, job),
    };
  const holder = limits.flatMap(({ holders }) => holders)[0];
  return {
    headline: hasRunner ? 'is ready and waits for a limit' : wait.headline,
    reasons: [...others, ...reasons],
    next: [...(hasRunner ? [] : wait.next), ...(holder === undefined ? [] : [`torc jobs explain ${holder.job_id}`])],
  };
}

const raiseLimit = ({ scope, name, needs }: WaitingLimit, { id, workflow }: JobFacts): string[] => [
  scope === 'workflow'
    ? `raise it: torc workflows update ${workflow.id} --limit ${name}=${needs}`
    : `the administrator of the server sets it: torc-server run ${scope === 'user' ? '--limit-each-user' : '--limit'} ${name}=${needs}`,
  `or lower what the job needs, and run it again: torc jobs reset-status ${id} --reinit`,
];
