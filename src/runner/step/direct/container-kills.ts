import { rmSync } from 'node:fs';
import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import { MEMORY_REPORT_VARIABLE, memoryReportOf, type StepId } from '../../../core/contract/files/job.ts';
import { sizeText } from '../../../core/quantity/size-text.ts';
import type { RunFacts } from '../../facts/run-facts.ts';
import type { KernelKill } from './job-groups.ts';

/** What the kernel did to containers of Podman and Docker: they are in control groups of their engine, and report it in a file. */
export function createContainerKills() {
  const reports = new Map<StepId, { readonly file: string; readonly limitBytes: number }>();
  return {
    started(id: StepId, facts: RunFacts, job: ClaimedJob, limitBytes: number | undefined): void {
      if (limitBytes === undefined || job.invocation_script?.includes(MEMORY_REPORT_VARIABLE) !== true) return;
      reports.set(id, { file: memoryReportOf(facts, job), limitBytes });
    },
    /** What it did to the container of a job that ended, if it killed something there. */
    ended(id: StepId): KernelKill | undefined {
      const report = reports.get(id);
      if (report === undefined) return undefined;
      reports.delete(id);
      try {
        rmSync(report.file);
      } catch {
        // There is none: nothing was killed.
        return undefined;
      }
      const { limitBytes } = report;
      return {
        cause: `the kernel killed its container at the memory limit of ${sizeText(limitBytes)}`,
        usedBytes: limitBytes,
      };
    },
  };
}
