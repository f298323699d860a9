import * as z from 'zod';
import { jobStatuses } from '../../core/job/job-statuses.ts';

/** Parameters of several tools. */
export const idParameter = z.int().positive();
/** A name is replaced by its id before a tool runs: ../named.ts. */
const idOrNameParameter = z.union([idParameter, z.string().min(1)]) as unknown as z.ZodType<number>;
export const workflowIdParameter = idOrNameParameter.describe('id or name of the workflow');
export const jobId = idOrNameParameter.describe('id or name of the job');
export const statusParameter = z.enum(jobStatuses);
export const factor = z.number().positive();
export const dryRun = z.boolean().describe('true: only show the plan; false: carry it out');
export const memory = z.string().describe('such as 500m or 16g');
export const runtime = z.string().describe('an ISO 8601 duration, such as PT2H');

/** Unknown parameters are refused: one with a typing error would silently do nothing. */
export const parameters = <Shape extends z.core.$ZodLooseShape>(shape: Shape) => z.strictObject(shape);
export const workflowParameters = parameters({ workflow_id: workflowIdParameter });
export const ofJob = parameters({ job_id: jobId });
