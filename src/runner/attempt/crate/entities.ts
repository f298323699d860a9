import { basename } from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import type { RoCrateEntity } from '../../../core/contract/artifact.ts';
import { VERSION } from '../../../core/contract/version.ts';
import type { Workflow } from '../../../core/contract/workflow.ts';

/**
 * The entities that a runner adds to the research object of a workflow (RO-Crate): the plan, the program, the run, each
 * attempt that produced files, and the producer of each file. All are JSON-LD and refer to each other by `@id`.
 */

type Entity = Pick<RoCrateEntity, 'entity_id' | 'entity_type' | 'metadata'>;

/** With the first type, and the equivalent type of PROV. */
const entity = (id: string, types: readonly [string, ...string[]], rest: RoCrateEntity['metadata']): Entity => ({
  entity_id: id,
  entity_type: types[0],
  metadata: { '@id': id, '@type': [...types], ...rest },
});
const at = (id: string) => ({ '@id': id });

/** Other readers of provenance expect a single item without a list. */
const oneOrAll = <Item>(items: Item[]): Item | Item[] => {
  const [only, ...more] = items;
  return only !== undefined && more.length === 0 ? only : items;
};

/** The `@id` of the program that ran a run. */
export const softwareId = (runId: number) => `#software-torc-run-id-${runId}`;
const runEntityId = (runId: number) => `#torc-run-id-${runId}`;
/** The `@id` of an attempt. */
export const attemptId = (jobId: number, attempt: number) => `#job-${jobId}-attempt-${attempt}`;

const PLAN_ID = '#torc-workflow';

/** The workflow: the plan of every run of it. */
export const planEntity = ({ name, description }: Pick<Workflow, 'name' | 'description'>): Entity =>
  entity(PLAN_ID, ['HowTo', 'prov:Plan'], { name, ...(description ? { description } : {}) });

/** The program that ran the jobs, and its path. */
export const softwareEntity = (runId: number, path: string): Entity =>
  entity(softwareId(runId), ['SoftwareApplication', 'prov:SoftwareAgent'], {
    name: 'torc',
    url: path,
    version: VERSION,
  });

/** The run as a whole; it has an end when the workflow is complete. */
export const runEntity = (
  runId: number,
  { name, startTime, endTime }: { readonly name: string; readonly startTime: string; readonly endTime?: string },
): Entity =>
  entity(runEntityId(runId), ['CreateAction', 'prov:Activity'], {
    name: `${name} Run ${runId}`,
    startTime,
    ...(endTime === undefined ? {} : { endTime }),
    instrument: at(softwareId(runId)),
    'prov:hadPlan': at(PLAN_ID),
  });

/** An attempt that produced files. */
export interface Making {
  readonly runId: number;
  readonly jobId: number;
  readonly attempt: number;
  readonly name: string;
  /** RFC 3339; undefined if it has not ended. */
  readonly endTime?: string | undefined;
  /** `@id`s of the files that it read, and of those that it wrote. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

export const attemptEntity = ({ runId, jobId, attempt, name, endTime, inputs, outputs }: Making): Entity =>
  entity(attemptId(jobId, attempt), ['CreateAction', 'prov:Activity'], {
    name,
    ...(endTime === undefined ? {} : { endTime }),
    instrument: at(softwareId(runId)),
    'prov:hadPlan': at(PLAN_ID),
    isPartOf: at(runEntityId(runId)),
    object: inputs.map(at),
    'prov:used': oneOrAll(inputs.map(at)),
    result: outputs.map(at),
  });

/** A file as found when the attempt had ended. */
export interface Made {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly modifiedMs: number;
}

/** The new entity of the file: properties of an earlier entity stay unless this attempt sets them. */
export function outputEntity(
  id: string,
  { path, sizeBytes, sha256, modifiedMs }: Made,
  { runId, jobId, attempt, inputs }: Making,
  before: RoCrateEntity['metadata'] = {},
): Entity {
  return {
    entity_id: id,
    entity_type: 'File',
    metadata: {
      '@id': id,
      '@type': ['File', 'prov:Entity'],
      name: basename(path),
      encodingFormat: getMimeType(path)?.replace(/;.*$/, '') ?? 'application/octet-stream',
      // A name that a user gave to the file does not say where it is.
      ...(id === path ? {} : { sameAs: at(path) }),
      ...before,
      contentSize: String(sizeBytes),
      sha256,
      dateModified: new Date(modifiedMs).toISOString(),
      'prov:wasGeneratedBy': at(attemptId(jobId, attempt)),
      'prov:wasDerivedFrom': oneOrAll(inputs.map(at)),
      'prov:wasAttributedTo': at(runEntityId(runId)),
    },
  };
}
