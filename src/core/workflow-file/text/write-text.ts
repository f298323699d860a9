import { dump } from 'js-yaml';
import { ExactNumber, isList, isMap, type Value } from './value.ts';

/** Formats in which a workflow file can be written. JSON5 is written as JSON, which it includes. */
export type WrittenFormat = 'json' | 'json5' | 'yaml';

/**
 * The text of a workflow file. Numbers keep their digits: `1.0` stays `1.0`. Comments are not part of the value. With `isShort`, lists in the
 * entries of YAML stand on one line.
 */
export function writeText(value: Value, format: WrittenFormat, isShort = false): string {
  const exact: string[] = [];
  const plain = withMarks(value, exact);
  const text =
    format === 'yaml'
      ? dump(plain, { lineWidth: -1, noRefs: true, ...(isShort ? { flowLevel: 3 } : {}) })
      : `${JSON.stringify(plain, undefined, 2)}\n`;
  return text.replaceAll(/["']?⟦exact (\d+)⟧["']?/g, (_, at: string) => exact[Number(at)] as string);
}

/** With a mark in place of each number that JavaScript cannot write as it was. */
function withMarks(value: Value, exact: string[]): unknown {
  if (value instanceof ExactNumber) return `⟦exact ${exact.push(value.text) - 1}⟧`;
  if (isList(value)) return value.map((each) => withMarks(each, exact));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withMarks(each, exact)]));
}
