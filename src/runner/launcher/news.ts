import type { StepId } from '../../core/contract/files/job.ts';
import type { NotStarted, LauncherReport, ReportedEnd } from '../step/batch/protocol.ts';

/**
 * That a step which was sent ahead has started is reported with the next end, or after this time: one message for both, while jobs
 * are short.
 */
const SOON_MS = 20;

export type LauncherNews = ReturnType<typeof createNews>;

/** What a launcher has not reported yet. */
export function createNews(send: (report: Extract<LauncherReport, { is: 'changed' }>) => void) {
  let started: StepId[] = [];
  let ended: ReportedEnd[] = [];
  let refused: NotStarted[] = [];
  let takenBack: StepId[] = [];
  let soon: NodeJS.Timeout | undefined;

  const report = () => {
    clearTimeout(soon);
    soon = undefined;
    if (started.length + ended.length + refused.length + takenBack.length === 0) return;
    send({ is: 'changed', started, ended, refused, takenBack });
    started = [];
    ended = [];
    refused = [];
    takenBack = [];
  };

  return {
    started: (id: StepId) => void started.push(id),
    ended: (end: ReportedEnd) => void ended.push(end),
    refused: (step: NotStarted) => void refused.push(step),
    takenBack(ids: readonly StepId[]) {
      for (const id of ids) takenBack.push(id);
    },
    /** Reports all of it in one line. */
    report,
    /** The same with the next end, or after a while. */
    reportSoon() {
      soon ??= setTimeout(report, SOON_MS);
    },
  };
}
