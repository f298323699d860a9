import { createClient } from '../client/client.ts';
import { ServiceError, Unreachable } from '../client/errors.ts';
import { followEvents } from '../client/event-stream.ts';
import { after, every, pause } from '../client/long-timers.ts';
import type { Connection } from '../client/node/connect.ts';
import { type Abilities, difference, type Screen, screenOf } from './cells.ts';
import { keysOf } from './keys.ts';
import { type Effect, emptyList, firstModel, type Model, press, viewOf } from './model.ts';
import { paint } from './paint.ts';
import { abilitiesOf, fullScreen } from './terminal.ts';
import { EVENTS } from './views/all.ts';
import { type ArrivedEvent, workflows } from './views/records.ts';
import { type Asked, PAGE_ROWS, type View } from './views/view.ts';

export interface TuiOptions {
  readonly connection: Connection;
  readonly url: string;
  readonly user: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly outputDir: string;
  readonly hint: (command: string) => string;
  readonly workflowId: number | undefined;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream & { readonly fd: number };
}

/** The screen is drawn at most four times a second for what the server says: ssh lines may be slow. Keys are drawn at once. */
const REDRAW_MS = 250;
/** Events arrive by the thousand; a list is read at most once in this time. */
const RELOAD_MS = 1_000;
/** A list is read again after this time without an event: a server of Torc does not report everything. */
const QUIET_MS = 15_000;
/** If the rest of a sequence has not arrived after this time, Escape was a key of its own. */
const ESCAPE_MS = 50;
const MOST_EVENTS = 1_000;

/** Loaded with the first question: the first screen is there sooner. */
const answers = () => import('./answers.ts');

/** Shows the terminal view until the user leaves it. Returns the exit code. */
export async function openTui(options: TuiOptions): Promise<number> {
  const { connection, environment, input, output } = options;
  // A client that waits for a server which is away would keep the screen from saying so.
  const client = createClient(connection.send);
  const screen = fullScreen(input, output);
  const abilities: Abilities = abilitiesOf(environment);
  let model: Model = firstModel;
  let drawn: Screen | undefined;
  let isDrawDue = false;
  let rest = '';
  let events: readonly ArrivedEvent[] = [];
  let stream: AbortController | undefined;
  let isReloadDue = false;
  let loads = 0;
  let finish: (exitCode: number) => void = () => {};
  const ended = new Promise<number>((resolve) => (finish = resolve));

  const draw = () => {
    isDrawDue = false;
    const size = { width: output.columns || 80, height: output.rows || 24 };
    const next = screenOf(paint(model, size, `${options.url} · ${options.user}`, Date.now()), size, abilities);
    const sent = difference(drawn, next);
    // Together: terminals that know this mode show the changes at once.
    if (sent !== '') output.write(`\u001b[?2026h${sent}\u001b[?2026l`);
    drawn = next;
  };
  const drawSoon = () => {
    if (isDrawDue) return;
    isDrawDue = true;
    after(REDRAW_MS, () => {
      if (isDrawDue) draw();
    }).unref();
  };
  const change = (next: Partial<Model>) => {
    model = { ...model, ...next };
    drawSoon();
  };

  /** Runs a request; a server that does not answer is shown, and asked again by the next load. */
  const ask = async (act: () => Promise<void>) => {
    try {
      await act();
      if (model.away !== undefined) change({ away: undefined });
    } catch (error) {
      if (error instanceof Unreachable || (error instanceof ServiceError && error.status >= 500)) {
        change({ away: error.message });
        after(RELOAD_MS, () => reloadSoon()).unref();
      } else if (error instanceof Error)
        change({ note: { text: error.message.split('\n')[0] as string, isError: true } });
      else throw error;
    }
  };

  const load = (pane: Model['pane']) =>
    ask(async () => {
      const view = pane === 'workflows' ? workflows : viewOf(model);
      const { workflow, viewIndex } = model;
      if (pane === 'details' && workflow === undefined) return;
      if (pane === 'details' && viewIndex === EVENTS) {
        change({ details: { ...model.details, rows: events, total: events.length } });
        return;
      }
      loads += 1;
      const mine = loads;
      const page = await view.load(client, askedOf(view, pane));
      // Another workflow or view may have been chosen meanwhile.
      if (pane === 'details' && (model.workflow?.id !== workflow?.id || model.viewIndex !== viewIndex)) return;
      if (mine < loads && pane === 'details') return;
      change({ [pane]: { ...model[pane], rows: page.items, total: page.total_count } });
    });

  const askedOf = (view: View, pane: Model['pane']): Asked => {
    const { offset, sort, filter } = model[pane];
    const by = sort === undefined ? undefined : view.sorts[sort.index]?.by;
    const query = filter === undefined ? {} : (view.filters[filter.index]?.query?.(filter.text) ?? {});
    const own = pane === 'workflows' && !model.isAllUsers ? { user: options.user } : {};
    return {
      workflowId: model.workflow?.id ?? 0,
      paging: {
        offset,
        limit: PAGE_ROWS,
        ...(by === undefined || sort === undefined ? {} : { sort_by: by, reverse_sort: sort.isReverse }),
      },
      filter: { ...own, ...query },
      environment,
    };
  };

  const reloadSoon = () => {
    if (isReloadDue) return;
    isReloadDue = true;
    after(RELOAD_MS, () => {
      isReloadDue = false;
      void load('details');
      if (model.away !== undefined) void load('workflows');
    }).unref();
  };

  /** Follows the events of the workflow that is shown. */
  const follow = async (id: number) => {
    stream?.abort();
    const abort = new AbortController();
    stream = abort;
    events = [];
    const arrived = followEvents({
      open: connection.events(`/workflows/${id}/events/stream`),
      signal: abort.signal,
      wait: pause,
      onConnected: reloadSoon,
    });
    let order = 0;
    for await (const { event } of arrived) {
      order += 1;
      events = [{ ...event, order }, ...events].slice(0, MOST_EVENTS);
      reloadSoon();
    }
  };

  const act = (effect: Effect): void => {
    switch (effect.do) {
      case 'quit':
        return finish(0);
      case 'suspend':
        return suspend();
      case 'redraw':
        drawn = undefined;
        return;
      case 'load-workflows':
        return void load('workflows');
      case 'load-details':
        return void load('details');
      case 'explain':
      case 'show':
        return void ask(async () => {
          const { explained, shownRecord } = await answers();
          const dialog =
            effect.do === 'explain'
              ? await explained(client, effect.id, options)
              : shownRecord(viewOf(model), model.details.rows, effect.id);
          change({ dialog });
        });
      case 'cancel':
        return void ask(async () => {
          const { canceled } = await answers();
          change({ note: { text: await canceled(client, model.workflow?.id ?? 0, effect.id), isError: false } });
          reloadSoon();
        });
    }
  };

  const pressAll = (text: string, isWhole: boolean) => {
    const found = keysOf(rest + text);
    rest = found.rest;
    if (rest !== '' && !isWhole) after(ESCAPE_MS, () => void (rest !== '' && pressAll('', true))).unref();
    const keys = rest !== '' && isWhole ? [...found.keys, 'esc'] : found.keys;
    if (isWhole) rest = '';
    for (const key of keys) {
      const before = model.workflow?.id;
      const step = press(model, key, Date.now());
      model = step.model;
      if (model.workflow !== undefined && model.workflow.id !== before) void follow(model.workflow.id);
      for (const effect of step.effects) act(effect);
    }
    draw();
  };

  const suspend = () => {
    screen.leave();
    process.once('SIGCONT', () => {
      screen.enter();
      drawn = undefined;
      draw();
    });
    process.kill(process.pid, 'SIGTSTP');
  };
  const resized = () => {
    drawn = undefined;
    output.write('\u001b[2J');
    draw();
  };
  const onKeys = (data: Buffer) => pressAll(data.toString('utf8'), false);
  const onTerm = () => finish(143);
  const onHangUp = () => finish(129);

  screen.enter();
  input.on('data', onKeys);
  output.on('resize', resized);
  process.on('SIGTERM', onTerm).on('SIGHUP', onHangUp);
  const tick = every(RELOAD_MS, drawSoon);
  const quiet = every(QUIET_MS, () => {
    void load('workflows');
    void load('details');
  });
  draw();
  void load('workflows').then(async () => {
    const wanted = options.workflowId;
    if (wanted === undefined) return;
    await ask(async () => {
      const { id, name } = await client.getWorkflow({ params: { id: wanted } });
      change({ workflow: { id, name }, pane: 'details', details: emptyList });
      void follow(id);
      await load('details');
    });
  });
  try {
    return await ended;
  } finally {
    tick.cancel();
    quiet.cancel();
    stream?.abort();
    input.off('data', onKeys);
    output.off('resize', resized);
    process.off('SIGTERM', onTerm).off('SIGHUP', onHangUp);
    screen.leave();
    input.pause();
  }
}
