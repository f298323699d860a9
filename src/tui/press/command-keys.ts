import type { KeyName } from '../keys.ts';
import { activeView, type Model, noted } from '../model.ts';
import { only, type PressResult } from './step.ts';

/**
 * Keys of Torc 1.0.0 that change a workflow. Each writes the command of the shell that does it, for the user to complete and
 * to start with Enter: the command shows what it will do and asks, and runs outside of this screen as anywhere else.
 */
const COMMANDS: Readonly<Record<KeyName, (id: number) => string>> = {
  i: (id) => `workflows init ${id}`,
  I: (id) => `workflows reinit ${id}`,
  R: (id) => `workflows reset-status ${id}`,
  x: (id) => `run ${id}`,
  s: (id) => `submit ${id}`,
  W: (id) => `watch ${id} --recover`,
  V: (id) => `recover ${id}`,
  v: (id) => `recover ${id} --dry-run`,
  d: (id) => `delete ${id}`,
};

/** The workflow that is meant: the selected one above, the open one below. */
function workflowOf(model: Model, row: unknown): number | undefined {
  if (model.pane === 'details') return model.workflow?.id;
  return row === undefined ? undefined : activeView(model).idOf(row);
}

/** The command that a key stands for; nothing for other keys. */
export function commandFor(model: Model, row: unknown, key: KeyName): PressResult {
  const typed = (text: string) => only({ ...model, prompt: { kind: 'command', filterIndex: 0, text } });
  if (key === 'n') return typed('create ');
  const command = COMMANDS[key];
  if (command === undefined && key !== 'D') return only(model);
  const id = workflowOf(model, row);
  if (id === undefined) return only(noted(model, 'select a workflow first'));
  return command === undefined ? only(model, { do: 'show-workflow', id }) : typed(command(id));
}
