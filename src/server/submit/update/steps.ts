import {
  type AddedJob,
  type ChangedJob,
  type PlanRecords,
  type PlanSettings,
  type PlanUpdate,
  type UpdatedRecordKind,
  updatedRecordKinds,
} from '../../../core/contract/plan-update.ts';
import { type RelationName, relationNames } from '../../../core/job/fields.ts';

type Actions = NonNullable<NonNullable<PlanUpdate['workflow_actions']>['add']>;
type Pair = readonly [jobId: number, otherId: number];

/** Records of one kind: new ones, and those that get other values. */
export type RecordStep = {
  [Kind in UpdatedRecordKind]: {
    readonly step: 'records';
    readonly kind: Kind;
    readonly add: readonly PlanRecords[Kind][];
    readonly change: readonly { readonly id: number; readonly record: PlanRecords[Kind] }[];
  };
}[UpdatedRecordKind];

/** A part of an update that takes a few milliseconds. It is applied in one transaction, or again from its beginning. */
export type PlanStep =
  | { readonly step: 'settings'; readonly settings: PlanSettings }
  | RecordStep
  | { readonly step: 'add jobs'; readonly jobs: readonly AddedJob[] }
  | { readonly step: 'change jobs'; readonly jobs: readonly ChangedJob[] }
  | {
      readonly step: 'relations';
      readonly list: RelationName;
      readonly isRemoval: boolean;
      readonly pairs: readonly Pair[];
    }
  | { readonly step: 'actions'; readonly add: Actions; readonly remove: readonly number[] }
  | { readonly step: 'choose jobs'; readonly number: number; readonly ids: readonly number[] }
  | { readonly step: 'remove jobs'; readonly ids: readonly number[] }
  | { readonly step: 'remove records'; readonly kind: UpdatedRecordKind; readonly ids: readonly number[] };

/** Records or jobs in a step, and relationships: about 1 ms. */
const RECORDS = 64;
const PAIRS = 256;

/** The steps of an update, in an order in which each finds the records that it names. */
export function* updateSteps(update: PlanUpdate): Generator<PlanStep> {
  const { settings, jobs, workflow_actions: actions, choice } = update;
  if (settings) yield { step: 'settings', settings };
  for (const kind of updatedRecordKinds) {
    const { add, change } = update[kind] ?? {};
    for (const page of pages<unknown>(add, RECORDS))
      yield { step: 'records', kind, add: page, change: [] } as RecordStep;
    for (const page of pages<unknown>(change, RECORDS))
      yield { step: 'records', kind, add: [], change: page } as RecordStep;
  }
  const added = jobs?.add ?? [];
  const changed = jobs?.change ?? [];
  for (const page of pages(added, RECORDS)) yield { step: 'add jobs', jobs: page.map(withoutRelations) };
  for (const page of pages(changed, RECORDS))
    yield { step: 'change jobs', jobs: page.map(({ add: _add, remove: _remove, ...job }) => job) };
  // Between two steps nothing takes long: most of 100,000 jobs that run again keep what they are related to.
  const related = changed.filter(({ add, remove }) => hasRelations(add) || hasRelations(remove));
  for (const list of relationNames) {
    const lost = related.map(({ id, remove }) => [id, remove?.[list]] as const);
    for (const pairs of inPairs(lost)) yield { step: 'relations', list, isRemoval: true, pairs };
    const given = [
      ...added.map((job, index) => [-1 - index, job[list]] as const),
      ...related.map(({ id, add }) => [id, add?.[list]] as const),
    ];
    for (const pairs of inPairs(given)) yield { step: 'relations', list, isRemoval: false, pairs };
  }
  if (actions) yield { step: 'actions', add: actions.add ?? [], remove: actions.remove ?? [] };
  for (const ids of pages(choice?.job_ids, PAIRS)) yield { step: 'choose jobs', number: choice?.number ?? 0, ids };
  for (const ids of pages(jobs?.remove, RECORDS)) yield { step: 'remove jobs', ids };
  for (const kind of updatedRecordKinds)
    for (const ids of pages(update[kind]?.remove, RECORDS)) yield { step: 'remove records', kind, ids };
}

function* pages<Item>(items: readonly Item[] | null | undefined, size: number): Generator<readonly Item[]> {
  for (let at = 0; at < (items?.length ?? 0); at += size) yield items?.slice(at, at + size) ?? [];
}

const hasRelations = (lists: ChangedJob['add']): boolean =>
  lists !== undefined && lists !== null && relationNames.some((list) => (lists[list]?.length ?? 0) > 0);

function* inPairs(
  lists: readonly (readonly [jobId: number, others: readonly number[] | null | undefined])[],
): Generator<readonly Pair[]> {
  let pairs: Pair[] = [];
  for (const [jobId, others] of lists)
    for (const otherId of others ?? []) {
      pairs.push([jobId, otherId]);
      if (pairs.length < PAIRS) continue;
      yield pairs;
      pairs = [];
    }
  if (pairs.length > 0) yield pairs;
}

function withoutRelations(job: AddedJob): AddedJob {
  const {
    depends_on_job_ids: _jobs,
    input_file_ids: _inputs,
    output_file_ids: _outputs,
    input_user_data_ids: _read,
    output_user_data_ids: _written,
    ...rest
  } = job;
  return rest;
}
