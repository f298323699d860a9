import type { PlanRecords, UpdatedRecordKind } from '../../contract/plan-update.ts';
import { pairedByName } from './by-name.ts';
import type { RecordDifference } from './difference.ts';
import { isSame } from './same.ts';

interface Named {
  readonly id: number;
  readonly name?: string | null | undefined;
}

/** The records of one kind, matched by name. */
export interface MatchedRecords<Kind extends UpdatedRecordKind, Had> {
  /** By number in the plan: the id, or the position among the added ones, from -1 down. */
  readonly ids: Float64Array;
  readonly update: {
    readonly add: PlanRecords[Kind][];
    readonly change: { id: number; record: PlanRecords[Kind] }[];
    readonly remove: number[];
  };
  readonly differences: RecordDifference[];
  /** Ids of records whose content jobs read, and that changed. */
  readonly changed: ReadonlySet<number>;
  readonly removeOthers: (stays: (stored: Had) => boolean) => void;
}

/** Matches the records of a plan with those of the workflow, by name. Records without a name are not created. */
export function matchRecords<Kind extends UpdatedRecordKind, Had extends Named>(
  kind: Kind,
  wanted: { readonly length: number; readonly at: (number: number) => PlanRecords[Kind] | undefined },
  stored: readonly Had[],
  rules: {
    /** Does the stored record say the same? */
    readonly isSame?: (stored: Had, wanted: PlanRecords[Kind]) => boolean;
    /** Does it say the same of what jobs read? Default: only where it says the same of all. */
    readonly isSameContent?: (stored: Had, wanted: PlanRecords[Kind]) => boolean;
  } = {},
): MatchedRecords<Kind, Had> {
  const records = Array.from({ length: wanted.length }, (_, number) => wanted.at(number));
  const found = pairedByName(stored, {
    length: records.length,
    nameAt: (number) => records[number]?.name ?? undefined,
  });
  const kept = new Set<Had>();
  const ids = new Float64Array(wanted.length);
  const update: MatchedRecords<Kind, Had>['update'] = { add: [], change: [], remove: [] };
  const differences: RecordDifference[] = [];
  const changed = new Set<number>();
  const equal = rules.isSame ?? ((had: Had, record: PlanRecords[Kind]) => isSame(comparable(had), record));
  for (let number = 0; number < wanted.length; number += 1) {
    const record = records[number];
    const name = record?.name;
    if (record === undefined || name === undefined || name === null) continue;
    const had = found[number];
    if (had === undefined) {
      update.add.push(record);
      ids[number] = -update.add.length;
      differences.push({ kind: 'added', of: kind, name });
      continue;
    }
    kept.add(had);
    ids[number] = had.id;
    if (equal(had, record)) continue;
    update.change.push({ id: had.id, record });
    if (rules.isSameContent?.(had, record) !== true) changed.add(had.id);
    differences.push({ kind: 'changed', of: kind, name });
  }
  /** Removes what the plan does not have, except what stays for another reason. */
  const removeOthers = (stays: (stored: Had) => boolean) => {
    for (const record of stored) {
      if (kept.has(record) || stays(record)) continue;
      update.remove.push(record.id);
      differences.push({ kind: 'removed', of: kind, name: record.name ?? '' });
    }
  };
  return { ids, update, differences, changed, removeOthers };
}

const comparable = ({ id: _id, ...record }: Named & { workflow_id?: unknown }) => ({
  ...record,
  workflow_id: undefined,
});
