import type { Complain, ValuePath } from '../problems/problems.ts';
import { describe, isList, isMap, type Value, type ValueMap } from '../text/value.ts';

/**
 * Fields in a place that Torc's strict reader takes.
 *
 * Torc 1.0.0 refuses a file with a field that it does not know, except within `metadata`. What stands in `metadata.additions` is read as if it
 * stood in its own place: fields of the workflow, below the name of a list, such as `jobs`, fields of its entries by their names, and below the name of a map,
 * such as `execution_config`, its fields. Torc stores it and runs the jobs without it.
 */
export function withAdditions(root: ValueMap, complain: Complain): ValueMap {
  const { metadata } = root;
  const additions = isMap(metadata) ? metadata['additions'] : undefined;
  if (additions === undefined || additions === null) return root;
  const at: ValuePath = ['metadata', 'additions'];
  if (!isMap(additions)) {
    const message = `metadata.additions must be a map of fields, found ${describe(additions)}`;
    complain({ code: 'ADDITION_REFUSED', message, path: at });
    return root;
  }
  const result: Record<string, Value> = { ...root };
  for (const [field, value] of Object.entries(additions)) {
    const before = root[field];
    if (isList(before) && isMap(value)) result[field] = entriesWith(before, value, [...at, field], complain);
    else if (isMap(before) && isMap(value)) result[field] = withFields(before, value, [...at, field], complain);
    else if (Object.hasOwn(root, field))
      complain({ code: 'ADDITION_REFUSED', message: `the file has \`${field}\` already`, path: [...at, field] });
    else result[field] = value;
  }
  return result;
}

function entriesWith(entries: readonly Value[], added: ValueMap, at: ValuePath, complain: Complain): readonly Value[] {
  const missing = new Set(Object.keys(added));
  const result = entries.map((entry) => {
    const name = isMap(entry) ? entry['name'] : undefined;
    const fields = typeof name === 'string' && Object.hasOwn(added, name) ? added[name] : undefined;
    if (!isMap(entry) || fields === undefined) return entry;
    const path = [...at, name as string];
    missing.delete(name as string);
    if (!isMap(fields)) {
      const message = `expected a map of fields, found ${describe(fields)}`;
      complain({ code: 'ADDITION_REFUSED', message, path });
      return entry;
    }
    return withFields(entry, fields, path, complain);
  });
  for (const name of missing) {
    const message = `no entry of ${at.at(-1)} has the name ${JSON.stringify(name)}, as the file writes it`;
    complain({ code: 'ADDITION_REFUSED', message, path: [...at, name], atKey: true, found: name });
  }
  return result;
}

function withFields(entry: ValueMap, fields: ValueMap, path: ValuePath, complain: Complain): ValueMap {
  for (const field of Object.keys(fields))
    if (Object.hasOwn(entry, field)) {
      const message = `the entry has \`${field}\` already`;
      complain({ code: 'ADDITION_REFUSED', message, path: [...path, field] });
    }
  return { ...fields, ...entry };
}
