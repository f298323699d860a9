import type { Draft } from '../link/draft.ts';
import type { Collection } from '../expand/expand.ts';
import type { SpecFamilies } from '../expand/family.ts';
import { rewrittenAdvice } from '../expand/rewritten.ts';
import type { Complain, ValuePath } from '../problems/problems.ts';

interface Parameterized {
  readonly parameters?: object;
  readonly parameters_file?: string;
  readonly use_parameters_file?: boolean;
}

/** Warnings about names of digits that are read as numbers, one for each parameter or column. */
export function checkRewritten({ jobs, files, userData }: Draft, complain: Complain): void {
  const reported = new Set<string>();
  const look = (collection: Collection, families: SpecFamilies<Parameterized>): void => {
    for (const { spec, axes, at, count } of families.all) {
      for (const axis of count === 0 ? [] : (axes?.axes ?? [])) {
        if (axis.rewritten === undefined) continue;
        const isInTable = spec.parameters_file !== undefined || spec.use_parameters_file === true;
        const isOwn = spec.parameters !== undefined || spec.parameters_file !== undefined;
        const path: ValuePath = [
          ...(isOwn ? [collection, at] : []),
          ...(isInTable ? ['parameters_file'] : ['parameters', axis.name]),
        ];
        const key = JSON.stringify([path, axis.name]);
        const message = reported.has(key) ? undefined : rewrittenAdvice(axis, [JSON.stringify(spec)], isInTable);
        if (message === undefined) continue;
        reported.add(key);
        complain({ code: 'NUMBER_REWRITTEN', message, path, found: axis.rewritten.text });
      }
    }
  };
  look('jobs', jobs.families);
  look('files', files.families);
  look('user_data', userData.families);
}
