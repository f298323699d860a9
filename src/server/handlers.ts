import type { Caller } from './caller.ts';
import type { Sliced } from './store/sliced.ts';
import type { Work } from './store/work.ts';
import type { Input, Reply, RouteName, Routes } from '../core/contract/routes.ts';

/** The routes with a single reply; http/event-stream.ts serves streams. */
export type AnsweredRoute = { [N in RouteName]: Routes[N]['kind'] extends 'stream' ? never : N }[RouteName];

/** The routes whose cost grows with rows: a thread may answer them. */
export type WideRoute = { [N in RouteName]: Routes[N] extends { readonly reads: string } ? N : never }[RouteName];

/**
 * A handler is a plain function: typed input, typed reply, within a transaction if its route writes. If the reply needs
 * work on many rows, the handler returns that work.
 */
export type Handler<N extends RouteName> = (input: Input<N>, caller: Caller) => Answer<Routes[N]['kind'], Reply<N>>;

type Answer<Kind, Result> = Kind extends 'own'
  ? Promise<Result>
  : Kind extends 'work'
    ? Work<Result>
    : Kind extends 'write'
      ? Result | Sliced<Result>
      : Result;

/** Every route has its handler: a missing one, or a reply with a wrong field, does not compile. */
export type Handlers = { readonly [N in AnsweredRoute]: Handler<N> };
