import type { KeyName } from '../keys.ts';
import { activeView, type Model, type Prompt, withList } from '../model.ts';
import type { Size } from '../layout.ts';
import { findIn } from './in-text.ts';
import { filtered } from './on-list.ts';
import { only, type PressResult } from './step.ts';

/** A key while a text is typed. */
export function pressInPrompt(model: Model, prompt: Prompt, key: KeyName, size: Size): PressResult {
  const typed = (text: string) => only({ ...model, prompt: { ...prompt, text } });
  switch (key) {
    case 'esc':
      return only({ ...model, prompt: undefined });
    case 'backspace':
      return typed(Array.from(prompt.text).slice(0, -1).join(''));
    case 'ctrl-u':
      return typed('');
    case 'ctrl-w':
      return typed(prompt.text.replace(/\S+\s*$/u, ''));
    case 'tab':
    case 'shift-tab': {
      if (prompt.kind !== 'filter') return only(model);
      const { filters } = activeView(model);
      const filterIndex = (prompt.filterIndex + 1) % Math.max(1, filters.length);
      return only({ ...model, prompt: { ...prompt, filterIndex } });
    }
    case 'enter':
      return entered({ ...model, prompt: undefined, note: undefined }, prompt, size);
    default:
      return /^.$/u.test(key) ? typed(prompt.text + key) : only(model);
  }
}

function entered(model: Model, { kind, text, filterIndex }: Prompt, size: Size): PressResult {
  switch (kind) {
    case 'search':
      return only(withList(model, { search: text, at: 0 }));
    case 'filter':
      return filtered(model, filterIndex, text);
    case 'find':
      return model.dialog?.kind === 'text' && text !== ''
        ? findIn(model, { ...model.dialog, find: text, found: undefined }, 1, size)
        : only(model);
    case 'command':
      return text.trim() === '' ? only(model) : only(model, { do: 'run', words: text.trim().replace(/^torc\s+/, '') });
  }
}
