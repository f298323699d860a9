import type { Job } from '../../core/contract/job.ts';

/** A job as Torc's routes return it. */
export type PlainJob = Job & { readonly id: number };
