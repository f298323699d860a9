import type { Client } from '../client.ts';
import type { PlainJob } from './reads.ts';
import { isOfRequest, runSuperseded } from './refused.ts';

/** Reads the state with which a refusal is compared. */
export interface State {
  /** The job, or the reason why it cannot be read. */
  readJob(id: number): Promise<PlainJob | string>;
  /** Throws if the workflow is in another run. */
  fence(runId: number): Promise<void>;
}

export function createState(client: Client, workflowId: number): State {
  return {
    async readJob(id) {
      try {
        return (await client.getJob({ params: { id } })) as PlainJob;
      } catch (error) {
        if (isOfRequest(error)) return error.message;
        throw error;
      }
    },
    async fence(runId) {
      const { run_id: current } = await client.getWorkflow({ params: { id: workflowId } });
      if (current !== runId) throw runSuperseded(runId, current ?? 0);
    },
  };
}
