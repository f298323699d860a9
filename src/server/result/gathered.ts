import { statusCode } from '../../core/contract/job.ts';
import { type End, resultOfEnd, statsOfEnd } from './end.ts';
import type { ResultReportQueries } from './queries.ts';

/**
 * Ends of attempts that are written together: one statement for many costs two thirds of one for each.
 *
 * Until then the database has these jobs as they were, so they are written before one of them is read again. The release of
 * dependents reads and changes only dependents.
 */
export function gatherEnds(queries: ResultReportQueries) {
  const gathered = new Map<number, End>();
  return {
    has: (jobId: number): boolean => gathered.has(jobId),

    add(end: End): void {
      gathered.set(end.jobId, end);
    },

    write(): void {
      if (gathered.size === 0) return;
      const ends = [...gathered.values()];
      gathered.clear();
      for (const end of ends) if (end.slurmStats) queries.insertStats.run(statsOfEnd(end));
      const ids = queries.insertResults(ends.map(resultOfEnd));
      const rows = ends.map((end, index) => [end.jobId, statusCode[end.status], ids[index]]);
      queries.end.run({ ends: JSON.stringify(rows) });
    },
  };
}

export type GatheredEnds = ReturnType<typeof gatherEnds>;
