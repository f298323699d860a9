import type { Hono } from 'hono';
import { severities, streamEvents, type StreamEventType } from '../../core/contract/event.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { type Input, routes } from '../../core/contract/routes.ts';
import type { Permissions } from '../caller.ts';
import { severityOf } from '../store/changes.ts';
import type { Store } from '../records/store.ts';
import { type Answers, callerOf } from './answers.ts';
import { checkedHead } from './checked.ts';
import { eventHeaders } from './headers.ts';
import type { HeldLogins } from './held-login.ts';
import { createListeners } from './listeners.ts';
import type { LogPosition } from './missed-events.ts';
import { respond } from './reply.ts';

export interface EventStreamOptions {
  /** Called with the reason when the server ends a stream. */
  readonly onDropped?: ((reason: string, facts: Readonly<Record<string, unknown>>) => void) | undefined;
  /** How long a client may leave sent data unread; a test shortens it. */
  readonly stallMs?: number | undefined;
}

/** The event stream of a workflow, as Server-Sent Events. It ends with the login of its client. `listeners.ts` decides what a client gets, and when. */
export function serveEvents(
  app: Hono<Answers>,
  store: Store,
  permissions: Permissions,
  { logins, onDropped, stallMs }: EventStreamOptions & { readonly logins: HeldLogins },
): void {
  const { path } = routes.streamEvents;
  const listeners = createListeners(store, { onDropped, stallMs });
  app.get(path.replace('{id}', ':id'), (context) => {
    const asked = checkedHead(routes.streamEvents, context) as Input<'streamEvents'>;
    const { id: workflowId } = asked.params;
    store.find.workflow(workflowId);
    const caller = callerOf(context);
    permissions.check('streamEvents', { params: { id: workflowId }, query: {}, body: {} }, caller);
    const isLoggedIn = logins.of(context);
    const last = context.req.header('last-event-id');
    const stream = listeners.listen({
      workflowId,
      types: typesOf(asked.query),
      isWelcome: () => isLoggedIn() && permissions.sees(caller, workflowId),
      onRightsChanged: logins.onChange,
      last: last === undefined ? undefined : placeOf(last),
      cut: () => void context.env?.outgoing?.destroy(),
    });
    return respond(stream, 200, eventHeaders(context));
  });
}

function placeOf(text: string): LogPosition {
  const match = /^(\d+)\.(\d+)$/.exec(text);
  if (match === null) {
    throw new Refusal('PARAMETER_REFUSED', `Last-Event-ID is not one of this stream's: "${text}"`, { found: text });
  }
  return { row: Number(match[1]), entry: Number(match[2]) };
}

/**
 * The event types that a client gets: those it names, or all of sufficient severity. An unknown level means info, as in
 * Torc 1.0.0.
 */
function typesOf({
  level,
  types,
}: {
  level?: string | undefined;
  types?: string | undefined;
}): ReadonlySet<StreamEventType> {
  const all = Object.keys(streamEvents) as StreamEventType[];
  if (types !== undefined) {
    const named = new Set(types.split(','));
    return new Set(all.filter((type) => named.has(type)));
  }
  const asked = severities.indexOf((level ?? 'info').toLowerCase() as (typeof severities)[number]);
  const least = asked === -1 ? severities.indexOf('info') : asked;
  return new Set(all.filter((type) => severities.indexOf(severityOf(type)) >= least));
}
