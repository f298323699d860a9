import { createClient, type Client } from '../client/client.ts';
import { ServiceError, Unreachable } from '../client/errors.ts';
import { followEvents } from '../client/event-stream.ts';
import { after, pause } from '../client/long-timers.ts';
import type { Connection } from '../client/node/connect.ts';
import { type Model, viewOf } from './model.ts';
import { EVENTS } from './views/all.ts';
import { type ArrivedEvent, workflows } from './views/records.ts';
import { type ViewQuery, PAGE_ROWS, type View } from './views/view.ts';

/** Events arrive by the thousand; a list is read at most once in this time. */
export const RELOAD_MS = 1_000;
const MOST_EVENTS = 1_000;

interface ListsOptions {
  readonly connection: Connection;
  readonly user: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly model: () => Model;
  readonly change: (change: Partial<Model>) => void;
}

export interface ListLoader {
  readonly client: Client;
  /** Runs a request. What it throws is shown; a server that does not answer is asked again by the next load. */
  ask(act: () => Promise<void>): Promise<void>;
  load(pane: Model['pane']): Promise<void>;
  reloadSoon(): void;
  /** Follows the events of the workflow that is shown, and no longer those of the one before. */
  follow(workflowId: number): Promise<void>;
  stop(): void;
}

/** Reads what the views show, and follows the events that say when to read again. */
export function createLists({ connection, user, environment, model, change }: ListsOptions): ListLoader {
  // A client that waits for a server which is away would keep the screen from saying so.
  const client = createClient(connection.send);
  let events: readonly ArrivedEvent[] = [];
  let stream: AbortController | undefined;
  let isReloadDue = false;
  let loads = 0;

  const lists: ListLoader = {
    client,

    async ask(act) {
      try {
        await act();
        if (model().away !== undefined) change({ away: undefined });
      } catch (error) {
        if (error instanceof Unreachable || (error instanceof ServiceError && error.status >= 500)) {
          change({ away: error.message });
          after(RELOAD_MS, () => lists.reloadSoon()).unref();
        } else if (error instanceof Error)
          change({ note: { text: error.message.split('\n')[0] as string, isError: true } });
        else throw error;
      }
    },

    load: (pane) =>
      lists.ask(async () => {
        const view = pane === 'workflows' ? workflows : viewOf(model());
        const { workflow, viewIndex, details } = model();
        if (pane === 'details' && workflow === undefined) return;
        if (pane === 'details' && viewIndex === EVENTS) {
          change({ details: { ...details, rows: events, isRead: true, total: events.length } });
          return;
        }
        loads += 1;
        const mine = loads;
        const page = await view.load(client, askedOf(view, pane));
        // Another workflow or view may have been chosen meanwhile.
        const now = model();
        if (pane === 'details' && (now.workflow?.id !== workflow?.id || now.viewIndex !== viewIndex)) return;
        if (mine < loads && pane === 'details') return;
        change({ [pane]: { ...now[pane], rows: page.items, isRead: true, total: page.total_count } });
      }),

    reloadSoon() {
      if (isReloadDue) return;
      isReloadDue = true;
      after(RELOAD_MS, () => {
        isReloadDue = false;
        void lists.load('details');
        if (model().away !== undefined) void lists.load('workflows');
      }).unref();
    },

    async follow(workflowId) {
      stream?.abort();
      const abort = new AbortController();
      stream = abort;
      events = [];
      const arrived = followEvents({
        open: connection.events(`/workflows/${workflowId}/events/stream`),
        signal: abort.signal,
        wait: pause,
        onConnected: lists.reloadSoon,
      });
      let order = 0;
      for await (const { event } of arrived) {
        order += 1;
        events = [{ ...event, order }, ...events].slice(0, MOST_EVENTS);
        lists.reloadSoon();
      }
    },

    stop: () => stream?.abort(),
  };

  function askedOf(view: View, pane: Model['pane']): ViewQuery {
    const { offset, sort, filter } = model()[pane];
    const by = sort === undefined ? undefined : view.sorts[sort.index]?.by;
    const query = filter === undefined ? {} : (view.filters[filter.index]?.query?.(filter.text) ?? {});
    const own = pane === 'workflows' && !model().isAllUsers ? { user } : {};
    return {
      workflowId: model().workflow?.id ?? 0,
      paging: {
        offset,
        limit: PAGE_ROWS,
        ...(by === undefined || sort === undefined ? {} : { sort_by: by, reverse_sort: sort.isReverse }),
      },
      filter: { ...own, ...query },
      environment,
    };
  }

  return lists;
}
