import { type JobStatus, jobStatuses } from '../../core/contract/job-statuses.ts';

/** The status with this name, or the only one that contains the text, as in Torc 1.0.0. Throws where several do, or none. */
export function statusNamed(text: string): JobStatus {
  const wanted = text.trim().toLowerCase();
  const exact = jobStatuses.find((status) => status === wanted);
  if (exact !== undefined) return exact;
  const found = jobStatuses.filter((status) => status.includes(wanted));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new RangeError(
    only === undefined
      ? `no status contains "${text}": ${jobStatuses.join(', ')}`
      : `several statuses contain "${text}": ${found.join(', ')}`,
  );
}
