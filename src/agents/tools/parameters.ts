import * as z from 'zod';
import { jobStatuses } from '../../core/contract/job-statuses.ts';

/** Parameters of several tools. */
export const id = z.int().positive();
export const workflowId = id.describe('id of the workflow');
export const jobId = id.describe('id of the job');
export const status = z.enum(jobStatuses);

/** Unknown parameters are refused: one with a typing error would silently do nothing. */
export const parameters = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.strictObject(shape);
export const ofWorkflow = parameters({ workflow_id: workflowId });
export const ofJob = parameters({ job_id: jobId });
