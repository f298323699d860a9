import type { WaitingLimit } from '../../contract/waiting-limit.ts';
import { grouped } from '../../quantity/count-text.ts';
import { isImpossible, waitingLimitWords } from '../placement/waiting-limit.ts';
import type { Explanation, JobFacts } from './job-facts.ts';

type Wait = Omit<Explanation, 'kind'>;

/** A limit without room keeps a job from every runner; what else keeps it waiting, `wait`, is said besides. */
export function limitedWait(wait: Wait, job: JobFacts, hasRunner: boolean): Wait {
  const { limits = [], workflow } = job;
  if (limits.length === 0) return { ...wait, reasons: [...wait.reasons, ...licenseReasons(job)] };
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
      reasons: [...reasons, ...others, ...licenseReasons(job)],
      next: raiseLimit(never, job),
    };
  const holder = limits.flatMap(({ holders }) => holders)[0];
  return {
    headline: hasRunner ? 'is ready and waits for a limit' : wait.headline,
    reasons: [...others, ...reasons, ...licenseReasons(job)],
    next: [...(hasRunner ? [] : wait.next), ...(holder === undefined ? [] : [`torc jobs explain ${holder.job_id}`])],
  };
}

/** What the batch system has too little of now: `Slurm has 4 matlab, and 3 are in use: the job needs 2`. */
const licenseReasons = ({ clusterLicenses: licenses = [] }: JobFacts): Wait['reasons'] =>
  licenses
    .filter(({ total, used, needs }) => total - used < needs)
    .map(({ name, total, used, needs }) => ({
      code: 'cluster_license',
      message: `the cluster has ${grouped(total)} ${name} (scontrol show lic), and ${grouped(used)} ${used === 1 ? 'is' : 'are'} in use; the job needs ${grouped(needs)}${needs > total ? ': no allocation can ask for them' : ''}`,
    }));

const raiseLimit = ({ scope, name, needs }: WaitingLimit, { id, workflow }: JobFacts): string[] => [
  scope === 'workflow'
    ? `raise it: torc workflows update ${workflow.id} --limit ${name}=${needs}`
    : `the administrator of the server sets it: torc-server run ${scope === 'user' ? '--limit-each-user' : '--limit'} ${name}=${needs}`,
  `or lower what the job needs, and run it again: torc jobs reset-status ${id} --reinit`,
];
