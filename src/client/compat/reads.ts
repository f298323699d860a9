import type { Client } from '../client.ts';
import type { Job } from '../../core/contract/job.ts';

/** A job as Torc's routes return it. */
export type PlainJob = Job & { readonly id: number };

/** What claims and returns read of the server. */
export interface Reads {
  job(id: number): Promise<PlainJob>;
  /** Whether no other runner of the workflow is active. */
  isAlone(nodeId: number): Promise<boolean>;
}

/** Concurrent requests, as for reports. */
export const READS_AT_ONCE = 8;

export const createReads = (client: Client, workflowId: number): Reads => ({
  job: async (id) => (await client.getJob({ params: { id } })) as PlainJob,
  async isAlone(nodeId) {
    const query = { workflow_id: workflowId, is_active: true, limit: 2 };
    const { items } = await client.listComputeNodes({ query });
    return items.every(({ id }) => id === nodeId);
  },
});
