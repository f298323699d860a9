import type { JobStatus } from '../../core/job/job-statuses.ts';
import { ENDED_BADLY, isOneOf } from '../../core/job/statuses.ts';
import { activeList, activeView, type ScreenEffect, type Model, noted, withList } from '../model.ts';
import { counted } from '../../core/quantity/count-text.ts';
import { only, type PressResult } from './step.ts';

const NO_JOB = 'select a job first: in the views Jobs, Running, Results or Accounting';

const jobOf = (model: Model, row: unknown): number | undefined =>
  row === undefined ? undefined : activeView(model).jobOf?.(row);

/** Selects the job of a row, or no longer, and goes to the next row. */
export function select(model: Model, row: unknown): PressResult {
  const id = jobOf(model, row);
  if (id === undefined) return only(noted(model, NO_JOB));
  const { selected, at, rows } = activeList(model);
  const next = new Set(selected);
  if (!next.delete(id)) next.add(id);
  return only(withList(model, { selected: next, at: Math.min(at + 1, rows.length - 1) }));
}

/** Selects the jobs of all rows that are shown; none, if all are selected. */
export function selectAll(model: Model, rows: readonly unknown[]): PressResult {
  const ids = rows.flatMap((row) => jobOf(model, row) ?? []);
  if (ids.length === 0) return only(noted(model, NO_JOB));
  const { selected } = activeList(model);
  return only(withList(model, { selected: new Set(ids.every((id) => selected.has(id)) ? [] : ids) }));
}

/** What a key does with the selected jobs, or with the job of the row where no job is selected. */
export function onJobs(model: Model, row: unknown, key: 'w' | 'l' | 'C' | 't' | 'y' | 'U'): PressResult {
  const id = jobOf(model, row);
  const { selected } = activeList(model);
  if (key === 'C' && model.pane === 'workflows') return cancelWorkflow(model, row);
  if (id === undefined) return only(noted(model, NO_JOB));
  const ids = selected.size === 0 ? [id] : [...selected].sort((one, other) => one - other);
  switch (key) {
    case 'w':
      return only(model, { do: 'explain', id });
    case 'l':
      return only(model, { do: 'read', source: { from: 'job', jobId: id, stream: firstStream(row), orOther: true } });
    case 'C':
    case 't':
      return confirmed(model, `Cancel ${named(ids)}?`, { do: 'cancel', ids });
    case 'y':
    case 'U': {
      const words = `jobs reset-status ${ids.join(' ')} --reinit`;
      return only({ ...model, prompt: { kind: 'command', filterIndex: 0, text: words } });
    }
  }
}

/** Of a job that failed the reason is in stderr, if anywhere. */
const firstStream = (row: unknown) =>
  isOneOf(ENDED_BADLY, (row as { readonly status?: JobStatus }).status) ? 'stderr' : 'stdout';

function cancelWorkflow(model: Model, row: unknown): PressResult {
  if (row === undefined) return only(model);
  const text = `cancel ${activeView(model).idOf(row)}`;
  return only({ ...model, prompt: { kind: 'command', filterIndex: 0, text } });
}

const named = (ids: readonly number[]): string =>
  ids.length === 1 ? `job ${ids[0]}` : counted(ids.length, 'job', 'jobs');

const confirmed = (model: Model, question: string, effect: ScreenEffect): PressResult =>
  only({ ...model, dialog: { kind: 'confirm', question, effect } });
