import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { ANONYMOUS, type Caller } from '../caller.ts';

/** The data of a request while it is answered. */
export interface Answers {
  Bindings: Partial<HttpBindings>;
  Variables: { caller?: Caller };
}

export const callerOf = (context: Context<Answers>): Caller => context.get('caller') ?? ANONYMOUS;
