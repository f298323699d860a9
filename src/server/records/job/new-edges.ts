import type { NewJob } from '../../../core/contract/job.ts';
import { type RelationName, relationNames } from '../../../core/job/fields.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { WorkSteps } from '../../store/work.ts';
import { EdgeBlock } from './edge-block.ts';
import type { NewJobQueries } from './queries.ts';

/** Ids that are looked up between two steps: about 1 ms. */
const A_FEW = 256;

/**
 * Refuses jobs that name records which their workflow does not have; each id is looked up once in a request.
 *
 * Ids of jobs in the same request can only be guessed: a job that waited for itself, or two for each other, would never
 * run.
 */
export function checkEdges(queries: NewJobQueries, workflowId: number, nextId: number) {
  const known = new Map<RelationName, Set<number>>(relationNames.map((list) => [list, new Set()]));
  const refuse = (list: RelationName, found: number, { name }: NewJob): never => {
    const why =
      list === 'depends_on_job_ids' && found >= nextId
        ? 'which did not exist before this request'
        : `which workflow ${workflowId} does not have`;
    throw new Refusal('REFERENCE_UNKNOWN', `${list} of job '${name}' names ${found}, ${why}`, {
      field: list,
      found,
      job: name,
    });
  };
  let looked = 0;
  return function* (job: NewJob): WorkSteps {
    for (const list of relationNames) {
      const seen = known.get(list) as Set<number>;
      for (const id of job[list] ?? []) {
        if (seen.has(id)) continue;
        if (queries.has[list].get({ id, workflowId }) === undefined) refuse(list, id, job);
        seen.add(id);
        looked += 1;
        if (looked % A_FEW === 0) yield;
      }
    }
  };
}

/**
 * Writes the relationships of jobs. `add` takes a job, in the order of their ids, and writes when it has many; `rest` writes what
 * is left.
 */
export function createEdgeWriter(queries: Pick<NewJobQueries, 'insertEdges'>, workflowId: number) {
  const blocks = new Map<RelationName, EdgeBlock>();

  function* write(list: RelationName, block: EdgeBlock): WorkSteps {
    for (const edges of block.take()) {
      queries.insertEdges[list](edges.map((edge) => ({ ...edge, workflowId })));
      yield;
    }
  }

  return {
    *add(jobId: number, list: RelationName, otherIds: Iterable<number>): WorkSteps {
      let block = blocks.get(list);
      for (const otherId of otherIds) {
        if (block === undefined) blocks.set(list, (block = new EdgeBlock()));
        block.add(jobId, otherId);
        if (block.isFull) yield* write(list, block);
      }
    },
    *addAll(jobId: number, job: NewJob): WorkSteps {
      for (const list of relationNames) yield* this.add(jobId, list, job[list] ?? []);
    },
    *rest(): WorkSteps {
      for (const [list, block] of blocks) yield* write(list, block);
    },
  };
}
