import {
  type Amounts,
  entryOfLimit,
  familyLimit,
  heldLicenses,
  licensesFault,
  limitsFault,
} from '../../job/amounts.ts';
import type { Draft } from '../link/draft.ts';
import type { Complain, ValuePath } from '../problems/problems.ts';

/** Reports licenses and limits that the server would refuse, and jobs that could never run within the limits of the file. */
export function checkLimits({ spec, jobs }: Draft, complain: Complain): void {
  const refuse = (message: string | undefined, path: ValuePath) => {
    if (message !== undefined) complain({ code: 'LIMIT_REFUSED', message, path });
  };
  const limits = spec.limits ?? {};
  const own = Object.keys(limits).find((name) => entryOfLimit(name) !== undefined);
  if (own !== undefined)
    refuse(`limits names '${own}'; the limit of an entry of jobs is its max_running`, ['limits', own]);
  else refuse(limitsFault(limits), ['limits']);

  const requirements = new Map((spec.resource_requirements ?? []).map((each) => [each.name, each]));
  for (const [index, { licenses }] of (spec.resource_requirements ?? []).entries())
    refuse(licensesFault(licenses), ['resource_requirements', index, 'licenses']);

  const most = new Map<string, number>();
  for (const { spec: job, at, count } of jobs.families.all) {
    const { licenses, max_running: running, name } = job;
    const path = (field: string): ValuePath => ['jobs', at, field];
    const given = Object.keys(licenses ?? {}).find((each) => entryOfLimit(each) !== undefined);
    const fault =
      given === undefined ? licensesFault(licenses) : `licenses names '${given}'; write max_running in its place`;
    refuse(fault, path('licenses'));
    if (fault !== undefined || count === 0) continue;
    if (running !== undefined && running < 1) refuse(`max_running must be >= 1, got ${running}`, path('max_running'));
    const before = most.get(familyLimit(name));
    if (running !== undefined && before !== undefined && before !== running)
      refuse(
        `max_running is ${running} here and ${before} in another entry with the name '${name}'; their jobs share one limit`,
        path('max_running'),
      );
    if (running !== undefined) most.set(familyLimit(name), running);
    const needs = requirements.get(job.resource_requirements ?? '');
    const short = neverFits(heldLicenses(licenses, needs?.licenses), limits);
    if (short !== undefined) refuse(short, path(licenses === undefined ? 'resource_requirements' : 'licenses'));
  }
}

/** Why a job that holds these can never run within limits; undefined if it can. */
function neverFits(held: Amounts, limits: Amounts): string | undefined {
  for (const [name, amount] of Object.entries(held)) {
    const limit = limits[name];
    if (limit !== undefined && limit > 0 && amount > limit)
      return `a job holds ${amount} of ${name}, and limits.${name} is ${limit}: it could never run`;
  }
  return undefined;
}
