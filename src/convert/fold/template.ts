import type { Axes } from '../../core/workflow-file/expand/axes.ts';
import { shiftedTemplate } from '../../core/workflow-file/expand/shift.ts';
import { templateOf } from '../../core/workflow-file/expand/template.ts';
import { isList, isMap, type Value, type ValueMap } from '../../core/workflow-file/text/value.ts';
import { alignTexts, type Row } from './align.ts';

/** The fields of a job with texts where parameters are replaced, and those where `{i-1}` is replaced too. */
const REPLACED: ReadonlySet<string> = new Set(['name', 'command', 'env', 'inputs', 'outputs', 'depends_on']);
const SHIFTED: ReadonlySet<string> = new Set(['inputs', 'outputs', 'depends_on']);

/** The same for jobs that may have one template: all but the texts that parameters may stand in. */
export const shapeOfJob = (job: ValueMap): string =>
  JSON.stringify(Object.entries(job).map(([name, value]) => [name, REPLACED.has(name) ? withoutTexts(value) : value]));

const withoutTexts = (value: Value): unknown =>
  JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? '' : each)));

/** A job with `{name}` in its texts that stands for these jobs of one shape; undefined if there is none. */
export function templateOfJobs(
  jobs: readonly ValueMap[],
  rows: readonly Row[],
  names: readonly string[],
): ValueMap | undefined {
  const template: Record<string, Value> = {};
  for (const [field, value] of Object.entries(jobs[0] ?? {})) {
    const common = REPLACED.has(field)
      ? commonOf(
          jobs.map((job) => job[field] ?? null),
          (texts) => alignTexts(texts, rows, names),
        )
      : value;
    if (common === undefined) return undefined;
    template[field] = common;
  }
  return template;
}

function commonOf(
  values: readonly Value[],
  align: (texts: readonly string[]) => string | undefined,
): Value | undefined {
  const [first = null] = values;
  if (typeof first === 'string') return align(values as readonly string[]);
  if (isList(first)) {
    const items = first.map((_, at) =>
      commonOf(
        (values as readonly Value[][]).map((list) => list[at] ?? null),
        align,
      ),
    );
    return items.includes(undefined) ? undefined : (items as Value[]);
  }
  if (!isMap(first)) return first;
  const entries = Object.keys(first).map((key) => [
    key,
    commonOf(
      values.map((map) => (map as ValueMap)[key] ?? null),
      align,
    ),
  ]);
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries);
}

/** Whether the instance of a template in a combination is this job. */
export function instanceTest(template: ValueMap, axes: Axes): (job: ValueMap, combination: number) => boolean {
  const tests = Object.entries(template).map(([field, value]) => {
    const render = SHIFTED.has(field) ? shiftedTemplate : templateOf;
    const isSame = REPLACED.has(field) ? valueTest(value, (text) => render(text, axes)) : equalTo(value);
    return (job: ValueMap, combination: number) => isSame(job[field], combination);
  });
  return (job, combination) =>
    Object.keys(job).length === tests.length && tests.every((isSame) => isSame(job, combination));
}

type ValueTest = (value: Value | undefined, combination: number) => boolean;

function equalTo(expected: Value): ValueTest {
  const text = JSON.stringify(expected);
  return (value) => value === expected || JSON.stringify(value) === text;
}

function valueTest(expected: Value, render: (text: string) => ReturnType<typeof templateOf>): ValueTest {
  if (typeof expected === 'string') {
    const text = render(expected);
    return (value, combination) => value === text.render(combination);
  }
  if (isList(expected)) {
    const items = expected.map((item) => valueTest(item, render));
    return (value, combination) =>
      isList(value as Value) &&
      (value as Value[]).length === items.length &&
      items.every((isSame, at) => isSame((value as Value[])[at], combination));
  }
  if (!isMap(expected)) return equalTo(expected);
  const entries = Object.entries(expected).map(([key, item]) => [key, valueTest(item, render)] as const);
  return (value, combination) =>
    isMap(value as Value) &&
    Object.keys(value as ValueMap).length === entries.length &&
    entries.every(([key, isSame]) => isSame((value as ValueMap)[key], combination));
}
