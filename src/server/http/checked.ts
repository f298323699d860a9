import type { Context } from 'hono';
import * as z from 'zod';
import { Refusal, type RefusalCode } from '../../core/contract/refusals.ts';
import type { Route } from '../../core/contract/routes.ts';
import { beginSlice } from '../store/slices.ts';
import type { Answers } from './answers.ts';
import type { ListCheck } from './parse-in-slices.ts';

/** The parameters of a request, except its body, checked against the table. */
export function checkedHead({ params, query }: Route, context: Context<Answers>): { params: unknown; query: unknown } {
  refuseBadEncoding(context.env?.incoming?.url ?? context.req.url);
  return {
    params: checked(params, context.req.param(), 'PARAMETER_REFUSED', 'Invalid URL'),
    query: checked(query, queryOf(context), 'PARAMETER_REFUSED', 'Failed to deserialize query string'),
  };
}

/** The maximum number of reported errors in one request: a bulk request may have one in each of its rows. */
const REPORTED = 20;

/** The value after the check, or a refusal that names each invalid field. */
export function checked(shape: z.ZodType | undefined, value: unknown, code: RefusalCode, what: string): unknown {
  if (shape === undefined) return undefined;
  const result = shape.safeParse(value, { jitless: isRarelyUsed(shape) });
  if (result.success) return result.data;
  return refuse(result.error.issues, code, what, value);
}

/**
 * zod writes and compiles a function for each object that it checks, which takes as long as a hundred checks without: the server
 * of a single command sends a route few requests.
 */
const FEW_USES = 20;
const uses = new WeakMap<z.ZodType, number>();

function isRarelyUsed(shape: z.ZodType): boolean {
  const before = uses.get(shape) ?? 0;
  if (before < FEW_USES) uses.set(shape, before + 1);
  return before < FEW_USES;
}

/** Elements of a list that are checked at once. */
const SOME = 50;

/** Checks the lists of a large value while it is read, so that the first wrong elements end that. */
export interface ListChecks {
  checkOf(name: string): ListCheck | undefined;
  readonly issues: readonly z.core.$ZodIssue[];
  /** These lists contain checked values, as far as there are no issues. */
  readonly done: ReadonlySet<unknown>;
}

export function createListChecks(shape: z.ZodType, code: RefusalCode, what: string): ListChecks {
  const lists = listsOf(shape);
  const issues: z.core.$ZodIssue[] = [];
  const done = new Set<unknown>();
  return {
    issues,
    done,
    checkOf(name) {
      const shapeOfList = lists.get(name);
      if (shapeOfList === undefined) return undefined;
      return (elements, from, list) => {
        done.add(list);
        const result = shapeOfList.safeParse(elements);
        if (result.success) return result.data;
        for (const issue of result.error.issues) issues.push(moved(issue, name, from));
        if (issues.length > REPORTED) refuse(issues, code, what, { [name]: list }, 'and more');
        return elements;
      };
    },
  };
}

/** The same for a large value: its lists are checked in slices, but for those that were checked while they were read. */
export async function checkedInSlices(
  shape: z.ZodType,
  value: unknown,
  code: RefusalCode,
  what: string,
  { issues: found, done }: Pick<ListChecks, 'issues' | 'done'> = { issues: [], done: new Set() },
): Promise<unknown> {
  const lists = longLists(shape, value);
  const slice = beginSlice();
  const issues = [...found];
  const good = new Map<string, unknown[]>();
  for (const { name, list, items } of lists) {
    if (done.has(items)) {
      good.set(name, items);
      continue;
    }
    const data: unknown[] = [];
    for (let at = 0; at < items.length; at += SOME) {
      const result = list.safeParse(items.slice(at, at + SOME));
      if (result.success) for (const item of result.data) data.push(item);
      else for (const each of result.error.issues.map((issue) => moved(issue, name, at))) issues.push(each);
      if (slice.isOver) await slice.pause();
    }
    good.set(name, data);
  }
  const empty = Object.fromEntries(lists.map(({ name }) => [name, []]));
  const result = shape.safeParse(lists.length === 0 ? value : { ...(value as object), ...empty });
  if (!result.success) for (const each of result.error.issues) issues.push(each);
  if (issues.length > 0) {
    const order = shape instanceof z.ZodObject ? Object.keys(shape.shape) : [];
    const placeOf = ({ path }: z.core.$ZodIssue) => order.indexOf(String(path[0]));
    return refuse(
      issues.toSorted((left, right) => placeOf(left) - placeOf(right)),
      code,
      what,
      value,
    );
  }
  const data = result.data as Record<string, unknown>;
  for (const [name, items] of good) data[name] = items;
  return data;
}

/** The lists of an object that may be checked piece by piece: no rule of the schema concerns them as a whole. */
function listsOf(shape: z.ZodType): ReadonlyMap<string, z.ZodArray> {
  const lists = new Map<string, z.ZodArray>();
  if (!(shape instanceof z.ZodObject) || (shape.def.checks ?? []).length > 0) return lists;
  for (const [name, field] of Object.entries(shape.shape)) {
    let list: unknown = field;
    while (list instanceof z.ZodOptional || list instanceof z.ZodNullable) list = list.unwrap();
    if (list instanceof z.ZodArray && (list.def.checks ?? []).length === 0) lists.set(name, list);
  }
  return lists;
}

function longLists(shape: z.ZodType, value: unknown): { name: string; list: z.ZodArray; items: unknown[] }[] {
  if (typeof value !== 'object' || value === null) return [];
  return [...listsOf(shape)].flatMap(([name, list]) => {
    const items = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
    return Array.isArray(items) && items.length > SOME ? [{ name, list, items }] : [];
  });
}

const moved = (issue: z.core.$ZodIssue, name: string, by: number): z.core.$ZodIssue => {
  const [index, ...rest] = issue.path;
  return { ...issue, path: [name, Number(index) + by, ...rest] };
};

function refuse(
  all: readonly z.core.$ZodIssue[],
  code: RefusalCode,
  what: string,
  value: unknown,
  others = `and ${all.length - REPORTED} more`,
): never {
  const issues = all
    .slice(0, REPORTED)
    .map((issue) => ({ field: fieldOf(issue.path), message: `${issue.message}${foundAt(issue, value)}` }));
  const reported = issues.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join('; ');
  const more = all.length > REPORTED ? `; ${others}` : '';
  throw new Refusal(code, `${what}: ${reported}${more}`, { issues });
}

/** Characters of a wrong value that are shown. */
const FOUND_LENGTH = 60;

/** The value that is none of the expected ones. */
function foundAt({ code, path }: z.core.$ZodIssue, value: unknown): string {
  if (code !== 'invalid_value') return '';
  let found = value;
  for (const part of path)
    found = typeof found === 'object' && found !== null ? (found as Record<PropertyKey, unknown>)[part] : undefined;
  return typeof found === 'string' ? `, found ${JSON.stringify(found.slice(0, FOUND_LENGTH))}` : '';
}

/** `jobs[3].name`, the usual notation. */
function fieldOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

/** The query; a repeated field becomes a list with commas. */
function queryOf(context: Context<Answers>): Record<string, string> {
  return Object.fromEntries(Object.entries(context.req.queries()).map(([name, values]) => [name, values.join(',')]));
}

/** Text that cannot be decoded would be used unchanged, and a name with `%ff` would become another one. */
function refuseBadEncoding(url: string): void {
  if (!url.includes('%')) return;
  try {
    decodeURIComponent(url);
  } catch (cause) {
    throw new Refusal('PARAMETER_REFUSED', 'Invalid URL: it contains a % that does not encode UTF-8', {}, { cause });
  }
}
