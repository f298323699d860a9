import { Refusal } from '../../../core/contract/refusals.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import type { Handlers } from '../../handlers.ts';
import { countReply, type Deletions } from '../deletion/deletion.ts';
import { listByQuery, read, removeRecord } from '../records.ts';
import type { Store } from '../store.ts';
import { nodeQueries } from './queries.ts';

/** Compute nodes as records; `allocate` registers and deregisters them. */
export const nodeHandlers = ({ db, find }: Store, deletion: Deletions) => {
  const queries = nodeQueries(db);
  const { nodes } = queries;

  /** 0 means any of them. */
  const refuseBusy = (workflowId: number, id: number) => {
    const jobs = queries.jobsHeldBy.get({ workflowId, id })?.jobs ?? 0;
    if (jobs === 0) return;
    const which = id === 0 ? 'runners' : `compute node ${id}`;
    throw new Refusal(
      'IN_USE',
      `${which} of workflow ${workflowId}: ${counted(jobs, 'job is', 'jobs are')} pending or running there`,
      {
        jobs,
      },
    );
  };

  return {
    getComputeNode: ({ params }) => read(nodes, params.id),
    listComputeNodes: listByQuery(find, nodes.list),
    deleteComputeNode({ params: { id } }) {
      refuseBusy(read(nodes, id).workflow_id, id);
      return removeRecord(nodes, id);
    },
    deleteComputeNodes: ({ query: { workflow_id: workflowId } }) =>
      deletion.all(workflowId, 'compute_node', countReply, () => {
        refuseBusy(workflowId, 0);
        find.workflow(workflowId);
      }),
  } satisfies Partial<Handlers>;
};
