import type { Job } from '../../core/contract/job.ts';

/** A job as the plain routes answer it. */
export type PlainJob = Job & { readonly id: number };
