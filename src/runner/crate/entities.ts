import { basename } from 'node:path';
import type { RoCrateEntity } from '../../core/contract/artifact.ts';
import { VERSION } from '../../core/contract/version.ts';

/**
 * What a runner adds to the research object of a workflow (RO-Crate): the program, the run, each attempt that made files,
 * and of each file what made it. All as JSON-LD, pointing at each other by `@id`.
 */

type Entity = Pick<RoCrateEntity, 'entity_id' | 'entity_type' | 'metadata'>;

const entity = (id: string, type: string, rest: RoCrateEntity['metadata']): Entity => ({
  entity_id: id,
  entity_type: type,
  metadata: { '@id': id, '@type': type, ...rest },
});
const at = (id: string) => ({ '@id': id });

const softwareId = (runId: number) => `#software-torc-run-id-${runId}`;
const runEntityId = (runId: number) => `#torc-run-id-${runId}`;
const attemptId = (jobId: number, attempt: number) => `#job-${jobId}-attempt-${attempt}`;

export const softwareEntity = (runId: number): Entity =>
  entity(softwareId(runId), 'SoftwareApplication', { name: 'torc', version: VERSION });

/** The run as a whole; it has an end when the workflow is complete. */
export const runEntity = (
  runId: number,
  { name, startTime, endTime }: { readonly name: string; readonly startTime: string; readonly endTime?: string },
): Entity =>
  entity(runEntityId(runId), 'CreateAction', {
    name: `${name}, run ${runId}`,
    startTime,
    ...(endTime === undefined ? {} : { endTime }),
    instrument: at(softwareId(runId)),
  });

/** An attempt that made files. */
export interface Making {
  readonly runId: number;
  readonly jobId: number;
  readonly attempt: number;
  readonly name: string;
  /** RFC 3339. */
  readonly endTime: string;
  /** `@id`s of the files that it read, and of those that it wrote. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

export const attemptEntity = ({ runId, jobId, attempt, name, endTime, inputs, outputs }: Making): Entity =>
  entity(attemptId(jobId, attempt), 'CreateAction', {
    name,
    endTime,
    instrument: at(softwareId(runId)),
    isPartOf: at(runEntityId(runId)),
    object: inputs.map(at),
    'prov:used': inputs.map(at),
    result: outputs.map(at),
  });

/** A file as it was found when the attempt had ended. */
export interface Made {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly modifiedMs: number;
}

/** What is said of the file from now on: what an earlier entity said stays where the making says nothing of it. */
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
      // A name that somebody gave to the file says nothing of where it is.
      ...(id === path ? {} : { sameAs: path }),
      ...before,
      contentSize: String(sizeBytes),
      sha256,
      dateModified: new Date(modifiedMs).toISOString(),
      'prov:wasGeneratedBy': at(attemptId(jobId, attempt)),
      'prov:wasDerivedFrom': inputs.map(at),
      'prov:wasAttributedTo': at(softwareId(runId)),
    },
  };
}
