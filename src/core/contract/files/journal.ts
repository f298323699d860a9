/** Journals of runners: the results that a runner could not report, for `torc workflows reconcile`. */

/** The folder of journals, within the output directory. */
export const JOURNAL_FOLDER = 'offline_journal';

const stemOf = (workflowId: number, runId: number) => `offline_results_wf${workflowId}_r${runId}_`;

export const journalName = (workflowId: number, runId: number, label: string): string =>
  `${stemOf(workflowId, runId)}${label}.db`;

/** Whether the file, by its name, is a journal of this run. */
export const isJournalOf = (name: string, workflowId: number, runId: number): boolean =>
  name.startsWith(stemOf(workflowId, runId)) && name.endsWith('.db');
