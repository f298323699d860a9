import type { Context } from 'hono';
import { severities, streamEvents, type StreamEventType } from '../../core/contract/event.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Input } from '../../core/contract/routes.ts';
import { severityOf } from '../store/changes.ts';
import type { Store } from '../records/store.ts';
import type { Answers } from './answers.ts';
import { createListeners } from './listeners.ts';
import type { LogPosition } from './missed-events.ts';
import type { StreamOptions, Viewing } from './stream.ts';

/** The event stream of a workflow. `listeners.ts` decides what a client gets, and when. */
export function createEventStreams(store: Store, options: StreamOptions) {
  const listeners = createListeners(store, options);
  return ({ params, query }: Input<'streamEvents'>, viewing: Viewing, context: Context<Answers>) => {
    const { id: workflowId } = store.find.workflow(params.id);
    const last = context.req.header('last-event-id');
    return listeners.listen({
      ...viewing,
      workflowId,
      types: typesOf(query),
      last: last === undefined ? undefined : placeOf(last),
    });
  };
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
function typesOf({ level, types }: Input<'streamEvents'>['query']): ReadonlySet<StreamEventType> {
  const all = Object.keys(streamEvents) as StreamEventType[];
  if (types !== undefined) {
    const named = new Set(types.split(','));
    return new Set(all.filter((type) => named.has(type)));
  }
  const asked = severities.indexOf((level ?? 'info').toLowerCase() as (typeof severities)[number]);
  const least = asked === -1 ? severities.indexOf('info') : asked;
  return new Set(all.filter((type) => severities.indexOf(severityOf(type)) >= least));
}
