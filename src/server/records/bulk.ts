import { Refusal } from '../../core/contract/refusals.ts';

/** The maximum number of records in one bulk request. */
const BULK_LIMIT = 100_000;

/** How refusals name the records of a bulk request: the field, one record, many records. */
interface Words {
  readonly field: string;
  readonly one: string;
  readonly many: string;
}

/** The workflow that all records of a bulk request name. */
export function workflowOfBulk({ field, one, many }: Words, records: readonly { workflow_id: number }[]): number {
  const [first] = records;
  if (first === undefined) {
    throw new Refusal('BODY_REFUSED', `Bulk ${one} creation requires a non-empty \`${field}\` array`, { field });
  }
  if (records.length > BULK_LIMIT) {
    throw new Refusal('BODY_REFUSED', `Too many ${many} in batch: ${records.length}. Maximum is ${BULK_LIMIT}`, {
      field,
      found: records.length,
      allowed: BULK_LIMIT,
    });
  }
  const other = records.find(({ workflow_id: id }) => id !== first.workflow_id);
  if (other === undefined) return first.workflow_id;
  throw new Refusal(
    'BODY_REFUSED',
    `All ${many} in a batch must have the same workflow_id. Found workflow_ids: ${first.workflow_id} and ${other.workflow_id}`,
    { field },
  );
}
