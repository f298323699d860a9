import { activeList, activeView, emptyList, type Model, noted, withList } from '../model.ts';
import { JOBS } from '../views/all.ts';
import { load, only, type PressResult } from './step.ts';

/** A number key sorts from the greatest, then from the least, then not at all. */
export function sorted(model: Model, index: number): PressResult {
  const { sort } = activeList(model);
  if (activeView(model).sorts[index] === undefined) return only(model);
  const next =
    sort?.index !== index ? { index, isReverse: true } : sort.isReverse ? { index, isReverse: false } : undefined;
  return only(withList(model, { sort: next, at: 0, offset: 0 }), load(model));
}

/** Opens a workflow on what failed, the jobs of a family or a file; shows all fields of other rows. */
export function entered(model: Model, row: unknown): PressResult {
  if (row === undefined) return only(model);
  const view = activeView(model);
  const id = view.idOf(row);
  if (model.pane === 'workflows') {
    const { name } = row as { readonly name: string };
    const opened: Model = { ...model, workflow: { id, name }, pane: 'details', details: emptyList };
    return only(view.hasFailures?.(row) === true ? onFailures(opened) : opened, { do: 'load-details' });
  }
  const family = view.familyOf?.(row);
  if (family !== undefined) {
    const filter = { index: JOBS.familyFilter, text: family };
    const opened: Model = { ...model, viewIndex: JOBS.index, details: { ...emptyList, filter } };
    return only(opened, { do: 'load-details' });
  }
  const path = view.pathOf?.(row);
  if (path !== undefined) return only(model, { do: 'read', source: { from: 'file', path } });
  return only(model, { do: 'show', id: view.jobOf?.(row) ?? id });
}

/** The jobs that failed, which is what a user comes for; `c` shows the others. */
const onFailures = (model: Model): Model => ({
  ...model,
  viewIndex: JOBS.index,
  details: { ...emptyList, filter: { index: JOBS.statusFilter, text: 'failed' } },
});

/** Filters by what the selected row has: by its status, or by the user of a workflow. */
export function filterByRow(model: Model, row: unknown): PressResult {
  const { filters } = activeView(model);
  const index = filters.findIndex(({ text }) => text !== undefined);
  const text = row === undefined ? undefined : filters[index]?.text?.(row);
  return text === undefined ? only(model) : filtered(model, index, text);
}

export function filtered(model: Model, index: number, text: string): PressResult {
  const filter = activeView(model).filters[index];
  try {
    filter?.query?.(text);
  } catch (error) {
    return only(noted(model, (error as Error).message));
  }
  const changed = withList(model, { filter: text === '' ? undefined : { index, text }, at: 0, offset: 0 });
  return only(changed, load(model));
}

export function toView(model: Model, viewIndex: number): PressResult {
  return only({ ...model, viewIndex, pane: 'details', details: emptyList }, { do: 'load-details' });
}
