import type { Context, Hono } from 'hono';
import type * as z from 'zod';
import { type Input, type Route, routes } from '../../core/contract/routes.ts';
import { Refusal, type RefusalCode } from '../../core/contract/refusals.ts';
import type { Permissions } from '../store/caller.ts';
import type { AnsweredRoute, Handler } from '../store/handlers.ts';
import type { Store } from '../store/store.ts';
import { textOf } from './body.ts';
import { type Answers, callerOf } from './caller.ts';
import { note } from './watch.ts';

const USUAL_MEBIBYTES = 2;

/**
 * Puts a handler behind its route: what comes in is checked against the table, then whether the caller may ask for it,
 * and a write joins the turn's transaction.
 */
export function bind<N extends AnsweredRoute>(
  app: Hono<Answers>,
  store: Store,
  permissions: Permissions,
  name: N,
  handler: Handler<N>,
  bulkMebibytes: number | undefined,
): void {
  const route: Route = routes[name];
  const mebibytes = route.bodyMebibytes === undefined ? USUAL_MEBIBYTES : (bulkMebibytes ?? route.bodyMebibytes);
  const isInBody = route.access === 'workflow in body' || route.access === 'workflow in entries';
  const answer = async (context: Context<Answers>) => {
    const caller = callerOf(context);
    const head = {
      params: checked(route.params, context.req.param(), 'PARAMETER_REFUSED', 'Invalid URL'),
      query: checked(route.query, queryOf(context), 'PARAMETER_REFUSED', 'Failed to deserialize query string'),
    };
    // Before the body is read, where that does not say which workflow is meant.
    if (!isInBody) permissions.check(route.access, { ...head, body: undefined }, caller);
    const input = { ...head, body: await bodyOf(route, context, mebibytes) } as Input<N>;
    if (isInBody) permissions.check(route.access, input, caller);
    const reply =
      route.kind === 'write' ? await store.turns.write(() => handler(input, caller)) : await handler(input, caller);
    const text = JSON.stringify(reply);
    note(context.env?.incoming, { response: text });
    return context.body(text, route.isAccepted?.(reply) === true ? 202 : 200, {
      'Content-Type': 'application/json',
    });
  };

  const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
  app.on(route.method, path, answer);
}

async function bodyOf({ body }: Route, context: Context<Answers>, mebibytes: number): Promise<unknown> {
  if (body === undefined) return undefined;
  const found = await json(context, mebibytes);
  return checked(body, found, 'BODY_REFUSED', 'Failed to deserialize the JSON body into the target type');
}

async function json(context: Context<Answers>, mebibytes: number): Promise<unknown> {
  if (!/^application\/([\w.]+\+)?json\b/i.test(context.req.header('content-type') ?? '')) {
    throw new Refusal('CONTENT_TYPE_REFUSED', 'Expected request with `Content-Type: application/json`');
  }
  const text = await textOf(context, mebibytes);
  note(context.env?.incoming, { request: text });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Refusal(
      'BODY_MALFORMED',
      `Failed to parse the request body as JSON: ${(cause as Error).message}`,
      {},
      { cause },
    );
  }
}

/** The query; a field that stands there several times is one with commas. */
function queryOf(context: Context<Answers>): Record<string, string> {
  return Object.fromEntries(Object.entries(context.req.queries()).map(([name, values]) => [name, values.join(',')]));
}

function checked(shape: z.ZodType | undefined, value: unknown, code: RefusalCode, what: string): unknown {
  if (shape === undefined) return undefined;
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => ({ field: fieldOf(path), message }));
  const told = issues.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join('; ');
  throw new Refusal(code, `${what}: ${told}`, { issues });
}

/** `jobs[3].name`, as people write it. */
function fieldOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}
