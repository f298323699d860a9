import type { Context } from 'hono';
import type * as z from 'zod';
import { Refusal, type RefusalCode } from '../../core/contract/refusals.ts';
import type { Route } from '../../core/contract/routes.ts';
import type { Answers } from './answers.ts';

/** What a request says before its body, checked against the table. */
export function checkedHead({ params, query }: Route, context: Context<Answers>): { params: unknown; query: unknown } {
  refuseBadEncoding(context.env?.incoming?.url ?? context.req.url);
  return {
    params: checked(params, context.req.param(), 'PARAMETER_REFUSED', 'Invalid URL'),
    query: checked(query, queryOf(context), 'PARAMETER_REFUSED', 'Failed to deserialize query string'),
  };
}

/** Most faults of one request that are told: a bulk call may have one in each of its rows. */
const TOLD = 20;

/** The value as its shape has it, or a refusal that names each field that is wrong. */
export function checked(shape: z.ZodType | undefined, value: unknown, code: RefusalCode, what: string): unknown {
  if (shape === undefined) return undefined;
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const all = result.error.issues;
  const issues = all.slice(0, TOLD).map(({ path, message }) => ({ field: fieldOf(path), message }));
  const told = issues.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join('; ');
  const more = all.length > TOLD ? `; and ${all.length - TOLD} more` : '';
  throw new Refusal(code, `${what}: ${told}${more}`, { issues });
}

/** `jobs[3].name`, as people write it. */
function fieldOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

/** The query; a field that stands there several times is one with commas. */
function queryOf(context: Context<Answers>): Record<string, string> {
  return Object.fromEntries(Object.entries(context.req.queries()).map(([name, values]) => [name, values.join(',')]));
}

/** What cannot be decoded would be taken as it stands, and a name with `%ff` for another. */
function refuseBadEncoding(url: string): void {
  if (!url.includes('%')) return;
  try {
    decodeURIComponent(url);
  } catch (cause) {
    throw new Refusal('PARAMETER_REFUSED', 'Invalid URL: it contains a % that does not encode UTF-8', {}, { cause });
  }
}
