import type { Draft } from '../link/draft.ts';
import { isWholeRange, shiftsOf } from '../expand/shift.ts';
import type { Complain } from '../problems/problems.ts';
import { partAt } from '../problems/text-part.ts';

/** `{i-1}` where the values of `i` are no range of whole numbers. */
export function checkShifts({ jobs }: Draft, complain: Complain): void {
  for (const { spec, axes, at, count } of jobs.families.all) {
    if (axes === undefined || count === 0) continue;
    for (const field of ['depends_on', 'input_files', 'output_files', 'inputs', 'outputs'] as const)
      for (const [index, given] of (spec[field] ?? []).entries()) {
        const text = typeof given === 'string' ? given : given.path;
        for (const { token, axis, at: place } of shiftsOf(text, axes)) {
          if (isWholeRange(axis)) continue;
          complain({
            code: 'PARAMETER_MALFORMED',
            message: `${token} needs a parameter that is a range of whole numbers, such as 1:10; '${axis.name}' is none`,
            path: ['jobs', at, field, index, ...(typeof given === 'string' ? [] : ['path'])],
            part: partAt(text, place, token),
            found: token,
          });
        }
      }
  }
}
