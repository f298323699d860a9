import { Refusal } from '../../contract/refusals.ts';

/**
 * Labels route jobs to runners. A runner with labels takes only labelled jobs, and only if it has all of their labels;
 * a runner without labels takes only jobs without labels.
 */

/** Refuses a label that is empty, contains a comma, or has blanks at its ends. `of` names the owner in the message. */
export function refuseBadLabels(labels: readonly string[] | null | undefined, of = ''): void {
  for (const label of labels ?? []) {
    if (label !== '' && !label.includes(',') && label.trim() === label) continue;
    throw new Refusal(
      'BODY_REFUSED',
      `label must be non-empty with no comma and no leading or trailing whitespace, got "${label}"${of}`,
      { field: 'labels', found: label },
    );
  }
}

/** Sorted labels, each once: the form in which they are stored, compared and shown. */
export function sortedLabels(labels: readonly string[] | null | undefined): string[] {
  return [...new Set(labels ?? [])].sort();
}

/** A set of labels from a query: comma-separated, empty elements dropped. */
export function labelsOfQuery(text: string | undefined): string[] {
  return sortedLabels((text ?? '').split(',').filter((label) => label !== ''));
}

/** Whether a runner with these labels may take a job with those. */
export function covers(runner: readonly string[], job: readonly string[]): boolean {
  if (runner.length === 0 || job.length === 0) return runner.length === job.length;
  return job.every((label) => runner.includes(label));
}
