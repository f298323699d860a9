import { readAgain } from './hooks.ts';
import { ROW } from './table-position.ts';
import { nextTheme } from './theme.ts';

/** Whether single keys do something. A program that types for its user may type them by mistake. */
const OFF = 'torc page keys are off';
export const areKeysOn = (): boolean => localStorage.getItem(OFF) === null;
export function turnKeys(on: boolean): void {
  if (on) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, '');
}

/** How long the page waits for a view to draw what a key leads to. */
const PATIENCE_MS = 10_000;

/** Carries out the action of a key; returns false for a key without one. `showKeys` opens the list of keys. */
export function pressPageKey(event: KeyboardEvent, showKeys: () => void): boolean {
  if (event.ctrlKey || event.metaKey || event.isComposing) return false;
  // On some keyboards Alt makes another character of a letter.
  if (event.altKey) return event.code === 'KeyD' && (nextTheme(), true);
  if (isInField(event.target) || document.querySelector('dialog[open]') !== null) return false;
  if (!areKeysOn()) return false;
  const { key } = event;
  return key === '?' ? (showKeys(), true) : (ACTIONS[key]?.() ?? click(key));
}

const isInField = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');

/** What a key does in every view; undefined for one that clicks a button. */
const ACTIONS: Readonly<Record<string, (() => boolean) | undefined>> = {
  1: () => goTo('#/'),
  2: () => goToWorkflow(''),
  3: () => goToWorkflow('/events'),
  4: () => goToWorkflow('', '#failed'),
  5: () => goToWorkflow('/resources'),
  6: () => goToWorkflow('/files'),
  7: () => follow(document.querySelector('.sections a[href="#/telemetry"]')),
  g: () => goToWorkflow('', '.graph'),
  t: () => goToWorkflow('', '#course'),
  n: () => goTo('#/new'),
  '[': () => goBeside(-1),
  ']': () => goBeside(1),
  ArrowUp: () => goToRow(-1),
  ArrowDown: () => goToRow(1),
  '/': () => focusOn(document.querySelector<HTMLElement>('main input[type=search]')),
  r: readAgain,
  Backspace: () => follow([...document.querySelectorAll('.path a')].at(-1) ?? null) || goTo('#/'),
};

/**
 * The button that does what a key does, where a view has one: of the part that has the focus, or else the last. An arrow scrolls what has
 * the focus and is wide.
 */
function click(key: string): boolean {
  const focused = document.activeElement;
  if (key.startsWith('Arrow') && focused?.matches('.scroll, .graph')) return false;
  const buttons = [...document.querySelectorAll<HTMLElement>(`main [data-key=${CSS.escape(key)}]`)];
  const button = buttons.find((each) => each.closest('section')?.contains(focused)) ?? buttons.at(-1) ?? null;
  button?.click();
  button?.scrollIntoView({ block: 'nearest' });
  return button !== null;
}

function goTo(hash: string): true {
  location.hash = hash;
  return true;
}

const follow = (link: Element | null): boolean => link !== null && goTo(link.getAttribute('href') ?? '#/');

function focusOn(element: HTMLElement | null | undefined): boolean {
  element?.focus();
  return element !== null && element !== undefined;
}

let latest: string | undefined;

/** The workflow that is shown, that the shown job is of, or that was shown last. */
function workflow(): string | undefined {
  const places = [location.hash, ...[...document.querySelectorAll('.path a')].map((link) => link.getAttribute('href'))];
  const found = places.map((place) => /^#\/workflows\/(\d+)/.exec(place ?? '')?.[1]).find((id) => id !== undefined);
  latest = found ?? latest;
  return latest;
}
/** Notes which workflow is shown: a later key returns to it. */
export const noteWorkflow = (): void => void workflow();

function goToWorkflow(part: string, selector?: string): boolean {
  const id = workflow();
  if (id === undefined) return false;
  goTo(`#/workflows/${id}${part}`);
  if (selector !== undefined) focusWhenThere(selector);
  return true;
}

/** A part of a view that is drawn when its data have come. */
function focusWhenThere(selector: string): void {
  const look = () => focusOn(document.querySelector<HTMLElement>(`main ${selector}`));
  // The view that is left may have such a part, too.
  requestAnimationFrame(() => {
    if (look()) return;
    const observer = new MutationObserver(() => {
      if (look()) observer.disconnect();
    });
    observer.observe(document.body, { childList: true, subtree: true });
    setTimeout(() => observer.disconnect(), PATIENCE_MS);
  });
}

/** The view beside the shown one, of those that have tabs. */
function goBeside(step: number): boolean {
  const tabs = [...document.querySelectorAll('.tabs a')];
  const shown = tabs.findIndex((tab) => tab.hasAttribute('aria-current'));
  return follow(tabs[Math.max(0, Math.min(tabs.length - 1, shown + step))] ?? null);
}

/** The link of the row before or behind the one that has the focus; of a view in which none has it, the first. */
function goToRow(step: number): boolean {
  const links = [...document.querySelectorAll<HTMLElement>('main td:first-child a, main li .name, main li .title')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const isFree = at >= 0 || document.activeElement === document.body || document.activeElement?.id === 'content';
  if (!isFree) return false;
  const next = links[at < 0 ? 0 : at + step];
  // The elements of a long table stay where they are; its rows move.
  const long = document.activeElement?.closest('.long');
  if (long && next?.closest('.long') !== long) {
    const before = long.scrollTop;
    long.scrollTop += step * ROW;
    if (long.scrollTop !== before) return true;
  }
  return focusOn(next);
}

/** The keys of the page, in the order of the list that `?` shows: what is pressed, and what it does. */
export const KEYS = [
  { keys: ['?'], says: 'these keys' },
  { keys: ['1'], says: 'all workflows' },
  { keys: ['2'], says: 'the workflow: its overview' },
  { keys: ['3'], says: 'its events' },
  { keys: ['4'], says: 'what failed in it' },
  { keys: ['5'], says: 'its resources' },
  { keys: ['6'], says: 'its files and data' },
  { keys: ['7'], says: 'telemetry, where the server keeps it' },
  { keys: ['g'], says: 'the graph of the workflow' },
  { keys: ['t'], says: 'its timeline' },
  { keys: ['+', '-'], says: 'in its timeline, or in the graph that has the focus: zoom in and out' },
  { keys: ['←', '→'], says: 'in its timeline: earlier and later' },
  { keys: ['0'], says: 'in its timeline: the whole run; in the graph that has the focus: all of it' },
  { keys: ['n'], says: 'a new workflow' },
  { keys: ['[', ']'], says: 'the previous and the next view of the workflow or the cluster' },
  { keys: ['↑', '↓'], says: 'the previous and the next row; Enter opens it' },
  { keys: ['/'], says: 'the filter of the view' },
  { keys: ['r'], says: 'read everything again' },
  { keys: ['Backspace'], says: 'one level up' },
  { keys: ['Alt+D'], says: 'dark, light, or as the system has it' },
  { keys: ['Esc'], says: 'close this list or a question' },
] as const;
