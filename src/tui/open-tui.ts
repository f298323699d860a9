import { after, repeatEvery } from '../client/long-timers.ts';
import type { Connection } from '../client/node/connect.ts';
import type { ExplainOptions } from '../operations/explain/explain.ts';
import { createDrawing } from './drawing.ts';
import { keysOf } from './keys.ts';
import { createLists, RELOAD_MS } from './lists.ts';
import { type ScreenEffect, emptyList, firstModel, type Model, viewOf } from './model.ts';
import { press } from './press/press.ts';
import type { OpenText } from './read-text.ts';
import { abilitiesOf, fullScreen } from './terminal.ts';

export interface TuiOptions {
  readonly connection: Connection;
  readonly url: string;
  readonly user: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly outputDir: string;
  readonly hint: (command: string) => string;
  /** The partitions of the site, if one is known. */
  readonly partitions: ExplainOptions['partitions'];
  readonly workflowId: number | undefined;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream & { readonly fd: number };
}

/** A list is read again after this time without an event: a server of Torc does not report everything. */
const QUIET_MS = 15_000;
/** If the rest of a sequence has not arrived after this time, Escape was a key of its own. */
const ESCAPE_MS = 50;

/** Loaded with the first question: the first screen is there sooner. */
const answers = () => import('./answers.ts');

/** Shows the terminal view until the user leaves it. Returns the exit code. */
export async function openTui(options: TuiOptions): Promise<number> {
  const { connection, environment, user, input, output, hint } = options;
  let model: Model = firstModel;
  let rest = '';
  /** Reads the text again that is shown. */
  let next: OpenText['next'] | undefined;
  /** Another program has the terminal, or has ended and its output is still shown. */
  let command: 'runs' | 'ended' | undefined;
  /** The view was left, perhaps by a signal while a command has the terminal. */
  let isLeft = false;
  let finish: (exitCode: number) => void = () => {};
  const ended = new Promise<number>((resolve) => (finish = resolve)).finally(() => (isLeft = true));

  const screen = fullScreen(input, output);
  const where = `${options.url} · ${user}`;
  const drawing = createDrawing({ output, abilities: abilitiesOf(environment), where, model: () => model });
  const change = (made: Partial<Model>) => {
    model = { ...model, ...made };
    drawing.drawSoon();
  };
  const lists = createLists({ connection, user, environment, model: () => model, change });
  const { client, ask } = lists;

  const act = (effect: ScreenEffect): void => {
    switch (effect.do) {
      case 'quit':
        return finish(0);
      case 'suspend':
        return suspend();
      case 'redraw':
        return drawing.forget();
      case 'mouse':
        return screen.useMouse(effect.isUsed);
      case 'load-workflows':
        return void lists.load('workflows');
      case 'load-details':
        return void lists.load('details');
      case 'run':
        return void run(hint(`torc ${effect.words}`));
      case 'explain':
        return void ask(async () => change({ dialog: await (await answers()).explained(client, effect.id, options) }));
      case 'show':
        return void ask(async () => {
          change({ dialog: (await answers()).shownRecord(viewOf(model), model.details.rows, effect.id) });
        });
      case 'show-workflow':
        return void ask(async () => change({ dialog: await (await answers()).shownWorkflow(client, effect.id) }));
      case 'read':
        return void ask(async () => {
          const read = await (await answers()).readPromptText(client, effect.source, options);
          ({ next } = read);
          change({ dialog: read.dialog });
        });
      case 'cancel':
        return void ask(async () => {
          const text = await (await answers()).canceled(client, model.workflow?.id ?? 0, effect.ids);
          change({ note: { text, isError: false }, details: { ...model.details, selected: new Set() } });
          lists.reloadSoon();
        });
    }
  };

  /** Gives the terminal to a command, and shows the screen again after the next key. */
  const run = async (line: string) => {
    command = 'runs';
    drawing.pause(true);
    input.pause();
    screen.leave();
    output.write(`$ ${line}\n`);
    const { runCommand } = await import('./run-command.ts');
    const exitCode = await runCommand(line).catch((error: Error) => {
      output.write(`${error.message}\n`);
      return 127;
    });
    // Reading keys again would keep this process, with the terminal in raw mode.
    if (isLeft) return;
    command = 'ended';
    output.write(`\nThe command has ended with exit code ${exitCode}. Any key shows the screen again.\n`);
    input.setRawMode(true);
    input.resume();
  };
  const backFromCommand = () => {
    command = undefined;
    model = { ...model, details: { ...model.details, selected: new Set() } };
    resumed();
    void lists.load('workflows');
    void lists.load('details');
  };

  const pressAll = (text: string, isWhole: boolean) => {
    const found = keysOf(rest + text);
    rest = found.rest;
    if (rest !== '' && !isWhole) after(ESCAPE_MS, () => void (rest !== '' && pressAll('', true))).unref();
    const keys = rest !== '' && isWhole ? [...found.keys, 'esc'] : found.keys;
    if (isWhole) rest = '';
    for (const key of keys) {
      // What was typed behind the Enter that started a command is not for this screen.
      if (command !== undefined) break;
      const before = model.workflow?.id;
      const step = press(model, key, Date.now(), drawing.size());
      model = step.model;
      if (model.workflow !== undefined && model.workflow.id !== before) void lists.follow(model.workflow.id);
      for (const effect of step.effects) act(effect);
    }
    drawing.draw();
  };
  const onKeys = (data: Buffer) => {
    if (command === 'ended') backFromCommand();
    else pressAll(data.toString('utf8'), false);
  };

  const resumed = () => {
    screen.enter();
    drawing.pause(false);
    drawing.forget();
    drawing.draw();
  };
  const suspend = () => {
    screen.leave();
    process.once('SIGCONT', resumed);
    process.kill(process.pid, 'SIGTSTP');
  };
  const resized = () => {
    if (command !== undefined) return;
    drawing.forget();
    output.write('\u001b[2J');
    drawing.draw();
  };
  const onTerm = () => finish(143);
  const onHangUp = () => finish(129);

  /** What a job writes is shown as it grows. */
  const readAgain = async () => {
    const { dialog } = model;
    if (dialog?.kind !== 'text' || dialog.source === undefined) return;
    const lines = await next?.().catch((error: Error) => {
      next = undefined;
      change({ note: { text: error.message, isError: true } });
      return undefined;
    });
    if (lines !== undefined && model.dialog === dialog) change({ dialog: { ...dialog, lines } });
  };

  screen.enter();
  input.on('data', onKeys);
  output.on('resize', resized);
  process.on('SIGTERM', onTerm).on('SIGHUP', onHangUp);
  const tick = repeatEvery(RELOAD_MS, () => {
    drawing.drawSoon();
    void readAgain();
  });
  const quiet = repeatEvery(QUIET_MS, () => {
    void lists.load('workflows');
    void lists.load('details');
  });
  drawing.draw();
  void lists.load('workflows').then(async () => {
    const wanted = options.workflowId;
    if (wanted === undefined) return;
    await ask(async () => {
      const { id, name } = await client.getWorkflow({ params: { id: wanted } });
      change({ workflow: { id, name }, pane: 'details', details: emptyList });
      void lists.follow(id);
      await lists.load('details');
    });
  });
  try {
    return await ended;
  } finally {
    tick.cancel();
    quiet.cancel();
    lists.stop();
    input.off('data', onKeys);
    output.off('resize', resized);
    process.off('SIGTERM', onTerm).off('SIGHUP', onHangUp);
    screen.leave();
    input.pause();
  }
}
