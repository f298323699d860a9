import type { File } from '../../contract/artifact.ts';
import { grouped } from '../../quantity/count-text.ts';

/** The jobs that write or read a file: `align_1`, `call_1, call_2, call_3 and 37 more`; empty where there is none. */
export function fileJobsText(jobs: File['made_by']): string {
  if (jobs === undefined || jobs === null) return '';
  const names = jobs.first.map(({ job_name: name }) => name).join(', ');
  const more = jobs.jobs - jobs.first.length;
  return more > 0 ? `${names} and ${grouped(more)} more` : names;
}
