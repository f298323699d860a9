import type { Adjustment, UsedJob } from '../../core/lifecycle/resources/used-jobs.ts';
import { editRequirements } from '../../core/workflow-file/edit/requirements.ts';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';
import type { Source } from '../../core/workflow-file/text/read-text.ts';
import { writeTextFile } from '../whole-file.ts';

/** What adjustments of a workflow change in the text of its file, and how it is written. */
export function adviseFile(
  source: Source,
  { jobs, adjustments }: { readonly jobs: readonly UsedJob[]; readonly adjustments: readonly Adjustment[] },
  planOf: (source: Source) => Plan,
) {
  const advice = adjustments.map(({ correction, before, after }) => ({
    before,
    after,
    isSplit: correction.isSplit,
    jobs: new Set(correction.sharing.map(({ name }) => name)),
  }));
  const requirementsOf = new Map(jobs.map(({ name, requirements }) => [name, requirements.name]));
  const { text, diff } = editRequirements(source, advice, { requirementsOf, planOf });
  return { diff, write: () => writeTextFile(source.name, text) };
}
