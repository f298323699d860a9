import { expect } from 'vitest';
import type { RefusalCode } from '../../../src/core/contract/refusals.ts';
import { type Route, type RouteName, routes } from '../../../src/core/contract/routes.ts';
import { BASE_PATH } from '../../../src/core/contract/base-path.ts';
import { pathOf, queryOf } from '../../../src/client/client.ts';
import type { World } from './world.ts';

/** What is asked of a route, as it goes over the wire: not checked by types, for some of it is to be refused. */
interface Ask {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
}

/** A promise of a route: what it answers, whole, and what holds after it. */
interface Answer extends Ask {
  readonly says: string;
  readonly before?: (world: World) => Promise<unknown>;
  readonly status?: 200 | 202;
  readonly reply: unknown;
  readonly after?: (world: World) => Promise<unknown>;
}

/** The opposite: what a route does not do, and how it says so. Nothing is written then. */
export interface Refused extends Ask {
  readonly says: string;
  readonly before?: (world: World) => Promise<unknown>;
  readonly code: RefusalCode;
  readonly status: number;
  readonly message: string;
  /** A table in which something else goes on meanwhile. */
  readonly goesOn?: string;
}

interface RouteCases {
  readonly answers: readonly Answer[];
  readonly refuses: readonly Refused[];
}

export type Cases = { readonly [N in RouteName]?: RouteCases };

/** Asks, and answers the status and the JSON. */
export async function ask(
  { app }: Pick<World, 'app'>,
  name: RouteName,
  { params = {}, query = {}, body }: Ask,
): Promise<{ status: number; json: unknown }> {
  const { method, path } = routes[name];
  const response = await app.request(BASE_PATH + pathOf(path, params) + queryOf(query), {
    method,
    ...(body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
}

/** The reply is what the route's own shape says: nothing is missing, nothing is wrong, and nothing is said besides. */
export function expectShape(name: RouteName, reply: unknown): void {
  const { reply: shape }: Route = routes[name];
  expect(shape.parse(reply)).toEqual(reply);
}
