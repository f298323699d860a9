import { textWidth } from '../../core/text/text-width.ts';
import { heights, type Size, tabs, topRow } from '../layout.ts';
import { activeView, type Model, shownRows, withList } from '../model.ts';
import type { KeyName } from '../keys.ts';
import { entered, toView } from './on-list.ts';
import { only, type PressResult } from './step.ts';

/** A click selects a row, opens the selected one as Enter does, and shows a view by its name. */
export function click(model: Model, key: KeyName, nowMs: number, { width, height }: Size): PressResult {
  if (model.prompt !== undefined || model.dialog !== undefined) return only(model);
  const [, column = 0, line = 0] = key.split(' ').map(Number);
  const { forWorkflows, forDetails } = heights(model, height);
  // Below the line at the top and the titles.
  const inWorkflows = line - 2;
  if (inWorkflows < 0) return only(model);
  if (inWorkflows < forWorkflows)
    return onRow({ ...model, pane: 'workflows' }, model, inWorkflows, { height: forWorkflows, nowMs });
  if (inWorkflows === forWorkflows) return onTab(model, column, width);
  const inDetails = inWorkflows - forWorkflows - 2;
  if (inDetails < 0 || inDetails >= forDetails) return only(model);
  return onRow({ ...model, pane: 'details' }, model, inDetails, { height: forDetails, nowMs });
}

interface Shown {
  readonly height: number;
  readonly nowMs: number;
}

function onRow(model: Model, before: Model, line: number, { height, nowMs }: Shown): PressResult {
  const list = model[model.pane];
  const rows = shownRows(activeView(model), list, nowMs);
  const at = topRow(Math.max(0, Math.min(list.at, rows.length - 1)), rows.length, height) + line;
  if (at >= rows.length) return only(model);
  return before.pane === model.pane && list.at === at ? entered(model, rows[at]) : only(withList(model, { at }));
}

function onTab(model: Model, column: number, width: number): PressResult {
  let end = 0;
  for (const { view, text } of tabs(model, width)) {
    end += textWidth(text);
    if (column < end) return view === model.viewIndex ? only({ ...model, pane: 'details' }) : toView(model, view);
  }
  return only(model);
}
