import type { Context, Hono } from 'hono';
import { type Input, type Route, routes } from '../../core/contract/routes.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Caller, Permissions } from '../caller.ts';
import type { AnsweredRoute, Handler } from '../handlers.ts';
import { inSteps, Sliced } from '../store/sliced.ts';
import { nextTurn } from '../store/slices.ts';
import type { Store } from '../records/store.ts';
import type { About } from '../store/held-workflows.ts';
import { LOCK_PATIENCE_MS } from '../store/turn.ts';
import type { Work } from '../store/work.ts';
import type * as z from 'zod';
import { type Body, bodyOfRequest, isLarge, parsed, parsedInSlices } from './body.ts';
import type { BodyRoom } from './body-room.ts';
import { type Answers, callerOf, clientOf } from './answers.ts';
import { checked, checkedHead, checkedInSlices, createListChecks } from './checked.ts';
import { sendReply } from './reply.ts';
import type { ReplyRoom } from './reply-room.ts';
import { createSubject } from './subject.ts';
import type { WideReads } from './wide-reads.ts';

const USUAL_MEBIBYTES = 2;

export interface BodyLimits {
  /** The maximum size of a body of the bulk routes in MiB. */
  readonly bulkMebibytes?: number | undefined;
  /** The time allowed for a body of any size; a test shortens it. */
  readonly bodyGraceMs?: number | undefined;
}

/**
 * Binds a handler to its route: the input is checked against the table, then the permission of the caller, and a write
 * joins the shared transaction.
 */
export function bind<N extends AnsweredRoute>(
  app: Hono<Answers>,
  store: Store,
  permissions: Permissions,
  name: N,
  handler: Handler<N>,
  {
    bulkMebibytes,
    bodyGraceMs,
    readWide,
    room,
    replyRoom,
  }: BodyLimits & { readonly readWide: WideReads; readonly room: BodyRoom; readonly replyRoom: ReplyRoom },
): void {
  const route: Route = routes[name];
  const mebibytes = route.bodyMebibytes === undefined ? USUAL_MEBIBYTES : (bulkMebibytes ?? route.bodyMebibytes);
  const isInBody = route.access === 'workflow in body' || route.access === 'workflow in entries';
  const shape = route.body as z.ZodType;
  const { about, refuseRemoved } = createSubject(store, name);
  const write = async (repeatable: Repeatable | undefined, handle: () => unknown, subject: About): Promise<unknown> => {
    if (repeatable === undefined) {
      const reply = await store.turns.write(handle, LOCK_PATIENCE_MS, subject);
      return reply instanceof Sliced ? inSteps(store.turns, reply, subject) : reply;
    }
    const { key, request } = repeatable;
    // The reply is stored in the transaction of the work, so the work is done in one transaction.
    const whole = () => {
      const reply = handle();
      return reply instanceof Sliced ? reply.atOnce() : reply;
    };
    return store.turns.write(() => store.replies.once(key, request, whole), LOCK_PATIENCE_MS, subject);
  };
  const carryOut = (repeatable: Repeatable | undefined, work: Work<unknown>): Promise<unknown> => {
    if (repeatable === undefined) return store.works.carryOut(work);
    const { key, request } = repeatable;
    return store.works.carryOut({ ...work, steps: () => store.replies.onceInSteps(key, request, work.steps) });
  };
  const answer = async (context: Context<Answers>) => {
    const caller = callerOf(context);
    const head = checkedHead(route, context);
    refuseRemoved(route.access, head);
    // Before the body is read, unless the body names the workflow.
    if (!isInBody) permissions.check(name, { ...head, body: undefined }, caller);
    const given = route.body === undefined ? undefined : await received(context);
    try {
      let body: unknown;
      if (given !== undefined)
        body = isLarge(given.bytes) ? await checkedLargeBody(shape, given) : checkedBody(shape, given);
      const input = { ...head, body } as Input<N>;
      if (isInBody) {
        refuseRemoved(route.access, input);
        permissions.check(name, input, caller);
      }
      const reply =
        route.kind === 'write'
          ? await write(repeatableOf(context, caller), () => handler(input, caller), about(route.access, input))
          : route.kind === 'work'
            ? await carryOut(repeatableOf(context, caller), handler(input, caller) as Work<unknown>)
            : await readWide(name, handler, input, caller, clientOf(context));
      return sendReply(context, reply, route.isAccepted?.(reply) === true ? 202 : 200, replyRoom);
    } finally {
      given?.release();
    }
  };
  const received = (context: Context<Answers>): Promise<Body> => {
    refuseOtherContent(context.req.header('content-type') ?? '', context.req.header('content-encoding') ?? 'identity');
    return bodyOfRequest(context, { mebibytes, graceMs: bodyGraceMs, room });
  };

  const path = route.path.replaceAll(/\{(\w+)\}/g, ':$1');
  app.on(route.method, path, answer);
}

const WHAT = 'Failed to deserialize the JSON body into the target type';

const checkedBody = (shape: z.ZodType, { bytes }: Body): unknown => checked(shape, parsed(bytes), 'BODY_REFUSED', WHAT);

async function checkedLargeBody(shape: z.ZodType, body: Body): Promise<unknown> {
  const { bytes, isGone } = body;
  await body.alone();
  const checks = createListChecks(shape, 'BODY_REFUSED', WHAT);
  const value = await parsedInSlices(bytes, { checkOf: checks.checkOf, isGone });
  // One job may name a hundred thousand others: its check takes a slice of its own, 10 to 30 ms.
  await nextTurn();
  return checkedInSlices(shape, value, 'BODY_REFUSED', WHAT, checks);
}

function refuseOtherContent(type: string, encoding: string): void {
  const refuse = (words: string): never => {
    throw new Refusal('CONTENT_TYPE_REFUSED', words, { found: `${type} ${encoding}` });
  };
  if (!/^application\/([\w.]+\+)?json\b/i.test(type)) refuse('Expected request with `Content-Type: application/json`');
  const charset = /;\s*charset="?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) refuse(`expected JSON in UTF-8, found charset ${charset}`);
  if (encoding.toLowerCase() !== 'identity') refuse(`expected an unencoded body, found Content-Encoding: ${encoding}`);
}

/** Printable ASCII: the characters that a header can transmit unchanged. */
const KEY = /^[\x21-\x7e]{1,255}$/;

/** A request that may be repeated: its key, separate for each caller, and the data that identifies the request. */
interface Repeatable {
  readonly key: string;
  readonly request: string;
}

/** The `Idempotency-Key` of a request; undefined without one. */
function repeatableOf(context: Context<Answers>, { user = '' }: Caller): Repeatable | undefined {
  const given = context.req.header('idempotency-key');
  if (given === undefined) return undefined;
  if (!KEY.test(given)) {
    throw new Refusal('PARAMETER_REFUSED', 'Idempotency-Key: expected 1 to 255 printable characters without blanks', {
      field: 'Idempotency-Key',
      found: given,
    });
  }
  const { method, url } = context.req;
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2));
  const bytes = context.req.header('content-length') ?? '0';
  return { key: `${user} ${given}`, request: `${method} ${path} with ${bytes} bytes` };
}
