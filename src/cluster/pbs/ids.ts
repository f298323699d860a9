import type { SlurmJob } from '../../core/allocation/slurm-job.ts';

/**
 * The id of a job as PBS prints it, `12.pbs`, `5[].pbs` for an array, `5[2].pbs` for one of its jobs: a number, and the name of its server.
 * Undefined for any other text.
 */
export function jobOfPbsId(text: string): SlurmJob | undefined {
  const [, number, index] = /^(\d+)(?:\[(\d*)\])?(?:\.[\w.-]+)?(?:@[\w.:-]+)?$/.exec(text.trim()) ?? [];
  if (number === undefined || !Number.isSafeInteger(Number(number))) return undefined;
  return index === undefined || index === '' ? Number(number) : `${number}_${index}`;
}

/** The name of the server in an id. */
export const serverOfPbsId = (text: string | undefined): string | undefined =>
  /^\d+(?:\[\d*\])?\.([\w.-]+)/.exec(text?.trim() ?? '')?.[1];

/** The id that PBS prints for a job on this server; it takes a number alone for that of its default server, which may be another one. */
export const pbsIdOf = (job: SlurmJob, server: string): string => {
  const [number, index] = String(job).split('_');
  return `${number}${index === undefined ? '' : `[${index}]`}.${server}`;
};
