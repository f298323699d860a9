import { statusCode } from '../../core/contract/job.ts';
import type { CauseCode } from '../../core/contract/cause-code.ts';
import type { FailureGroup, FailureGroups } from '../../core/contract/view.ts';
import { ENDED_BADLY } from '../../core/job/statuses.ts';
import { withoutNumbers } from '../../core/text/without-numbers.ts';
import type { Store } from '../records/store.ts';
import { beginSlice } from '../store/slices.ts';
import { keptOf } from '../kept.ts';
import { eachPart, ROWS } from '../store/parts.ts';
import type { ViewQueries } from './queries.ts';

/** Groups and examples that a person reads. */
const [MOST_GROUPS, MOST_NAMED] = [20, 5];

/** Jobs that failed, in groups of the same cause. */
export function createFailures({ find }: Store, queries: ViewQueries) {
  const read = async (workflowId: number): Promise<FailureGroups> => {
    const slice = beginSlice();
    const groups = new Map<string, FailureGroup>();
    for (const status of ENDED_BADLY) {
      await eachPart(slice, (after) => {
        const rows = queries.failed.all({ workflowId, status: statusCode[status], after, limit: ROWS });
        for (const { id, name, run_id, attempt_id, return_code, cause, cause_code: causeCode } of rows) {
          const key = JSON.stringify([status, return_code, causeCode, withoutNumbers(cause ?? '')]);
          let group = groups.get(key);
          if (group === undefined) {
            const causes = {
              ...(cause === null ? {} : { cause }),
              ...(causeCode === null ? {} : { cause_code: causeCode as CauseCode }),
            };
            group = { status, return_code, ...causes, jobs: 0, first: [] };
            groups.set(key, group);
          }
          group.jobs += 1;
          if (group.first.length < MOST_NAMED) group.first.push({ job_id: id, job_name: name, run_id, attempt_id });
        }
        return rows;
      });
    }
    const largest = [...groups.values()].toSorted((one, other) => other.jobs - one.jobs);
    return { groups: largest.slice(0, MOST_GROUPS), groups_left_out: Math.max(0, largest.length - MOST_GROUPS) };
  };
  return keptOf(find, read);
}
