import type { StepId } from '../../core/contract/files/job.ts';
import type { NotStarted, LauncherReport, ReportedEnd } from '../step/batch/protocol.ts';

/** What a launcher has not reported yet. */
export interface LauncherNews {
  started(id: StepId): void;
  ended(end: ReportedEnd): void;
  refused(step: NotStarted): void;
  takenBack(ids: readonly StepId[]): void;
  /** Reports all of it in one line. */
  report(): void;
  /** The same with the next end, or after a while. */
  reportSoon(): void;
}

/**
 * That a step which was sent ahead has started is reported with the next end, or after this time: one message for both, while jobs
 * are short.
 */
const SOON_MS = 20;

export function createNews(send: (report: Extract<LauncherReport, { is: 'changed' }>) => void): LauncherNews {
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
    started: (id) => void started.push(id),
    ended: (end) => void ended.push(end),
    refused: (step) => void refused.push(step),
    takenBack(ids) {
      for (const id of ids) takenBack.push(id);
    },
    report,
    reportSoon() {
      soon ??= setTimeout(report, SOON_MS);
    },
  };
}
