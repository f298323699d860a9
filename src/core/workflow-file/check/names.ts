import type { Draft, DraftRecords } from '../link/draft.ts';
import type { Complain } from '../problems/problems.ts';
import { sequence } from '../../lists/sequence.ts';
import { UNREAD } from '../shape/check.ts';

/** Names must be unique: after expansion no two jobs, files or records of user data may share one. */
export function checkNames(draft: Draft, complain: Complain): void {
  instances(draft.jobs, 'jobs', 'job', complain);
  instances(draft.files, 'files', 'file', complain);
  instances(draft.userData, 'user_data', 'user_data', complain);
  const { spec } = draft;
  listed(spec.resource_requirements, 'resource_requirements', ({ name }, path) => {
    const [message, creation] = [
      `Duplicate resource_requirements name: '${name}'`,
      `Duplicate resource requirements name: ${name}`,
    ];
    complain({ code: 'RECORD_DUPLICATE', message, creation, path, found: name ?? '' });
  });
  listed(spec.slurm_schedulers, 'slurm_schedulers', ({ name }, path) =>
    complain({
      code: 'RECORD_DUPLICATE',
      message: `Duplicate slurm_scheduler name: '${name}'`,
      path,
      found: name ?? '',
    }),
  );
  listed(spec.failure_handlers, 'failure_handlers', ({ name }, path) =>
    complain({
      code: 'HANDLER_DUPLICATE',
      message: `Two failure handlers are called '${name}'; the last one applies`,
      path,
      found: name ?? '',
    }),
  );
}

// As many as a report may have lines; more would only cost memory.
const MOST_NAMES = 50_000;

function instances<S>({ families, index }: DraftRecords<S>, field: string, what: string, complain: Complain): void {
  const copies = new Map<string, { first: number; count: number }>();
  for (const duplicate of index.duplicates.view()) {
    const name = families.nameAt(duplicate);
    const known = copies.get(name);
    if (known !== undefined) known.count += 1;
    else if (copies.size < MOST_NAMES) copies.set(name, { first: duplicate, count: 1 });
  }
  for (const [name, { first, count }] of copies) {
    const advice =
      what === 'job'
        ? 'Put every parameter that varies into the name; to wait for all instances of another job, leave the ' +
          'parameters out and use depends_on_regexes'
        : 'Put every parameter that varies into the name';
    complain({
      code: 'NAME_DUPLICATE',
      message: `Duplicate ${what} name '${name}' after parameter expansion. ${advice}`,
      path: [field, families.familyOf(first).at, 'name'],
      found: name,
      echoes: sequence(count, () => `Duplicate ${what} name: '${name}'`),
    });
  }
}

function listed<R extends { readonly name?: string }>(
  records: readonly R[] | undefined,
  field: string,
  report: (record: R, path: (string | number)[]) => void,
): void {
  const seen = new Set<string>();
  for (const [index, record] of (records ?? []).entries()) {
    if (record.name === undefined || record.name === UNREAD) continue;
    if (seen.has(record.name)) report(record, [field, index, 'name']);
    seen.add(record.name);
  }
}
