import * as z from 'zod';
import { LocalScheduler } from '../../core/contract/allocation.ts';
import { File, RoCrateEntity, UserData } from '../../core/contract/artifact.ts';
import { Job } from '../../core/contract/job.ts';
import { ComputeNode } from '../../core/contract/node.ts';
import { ResourceRequirements } from '../../core/contract/resources.ts';
import { Result } from '../../core/contract/result.ts';
import { FailureHandler, SlurmScheduler, WorkflowAction } from '../../core/contract/scheduling.ts';
import { id } from '../../core/contract/shape.ts';
import { Workflow } from '../../core/contract/workflow.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { formatOfName } from '../../core/workflow-file/text/read-text.ts';
import { EXPORT_VERSION } from './version.ts';

/**
 * A workflow as a file that another server can import.
 *
 * One JSON object: its version, the workflow, and a list of each kind of record as the API returns them. Ids are those
 * of the exporting server; they only link records. Parts that cannot be transferred are left out here: progress, access
 * rights, and processes of another machine.
 */

const identified = { id };
const rows = <T extends z.ZodType>(row: T) => z.array(row).default([]);

const Exported = z.object({
  workflow: Workflow.omit({
    id: true,
    timestamp: true,
    run_id: true,
    is_canceled: true,
    is_archived: true,
    is_being_created: true,
    access_groups: true,
  }),
  files: rows(File.extend(identified)),
  user_data: rows(UserData.extend(identified)),
  resource_requirements: rows(ResourceRequirements.extend(identified)),
  slurm_schedulers: rows(SlurmScheduler.extend(identified)),
  local_schedulers: rows(LocalScheduler.extend(identified)),
  failure_handlers: rows(FailureHandler.extend(identified)),
  ro_crate_entities: rows(RoCrateEntity.omit({ id: true })),
  jobs: rows(Job.extend(identified).omit({ attempt_id: true, compute_node_id: true, start_time: true, origin: true })),
  workflow_actions: rows(WorkflowAction),
  compute_nodes: rows(ComputeNode.extend(identified).omit({ process: true, scheduler_config_id: true })),
  results: rows(Result.omit({ id: true, job_name: true })),
});
export type Exported = z.output<typeof Exported>;

/** The number of problems reported for one file: the others seldom add information. */
const SHOWN = 10;

/**
 * Reads an exported workflow; `name` is the file's, for the message. Refuses an invalid one, with each invalid place.
 */
export function readDocument(text: string, name: string): Exported {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const isWorkflowFile = ['yaml', 'kdl'].includes(formatOfName(name) ?? '');
    const message = isWorkflowFile
      ? `torc create ${name} makes a workflow of a workflow file`
      : (cause as Error).message;
    throw new Refusal('IMPORT_REFUSED', `${name} is not JSON: ${message}`, {}, { cause });
  }
  const twice = repeatedKey(text);
  if (twice !== undefined)
    throw new Refusal('IMPORT_REFUSED', `${name} has ${JSON.stringify(twice)} twice; the first of them would be lost`);
  const version = (value as { export_version?: unknown } | null)?.export_version;
  if (typeof version !== 'string')
    throw new Refusal('IMPORT_REFUSED', `${name} is no exported workflow: it has no export_version`);
  if (version.split('.')[0] !== EXPORT_VERSION.split('.')[0])
    throw new Refusal('IMPORT_REFUSED', `${name} has export_version ${version}; this torc reads ${EXPORT_VERSION}`);
  const read = Exported.safeParse(value);
  if (read.success) return read.data;
  throw new Refusal(
    'IMPORT_REFUSED',
    problemsText(
      name,
      read.error.issues.map(({ path, message }) => `${placeOf(path)}: ${message}`),
    ),
  );
}

/** A key of the outermost object that is there twice: `JSON.parse` keeps the last value alone. `text` is valid JSON. */
function repeatedKey(text: string): string | undefined {
  const seen = new Set<string>();
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    else if (char === '"') {
      const end = endOfString(text, at);
      if (depth === 1 && /^\s*:/.test(text.slice(end + 1, end + 100))) {
        const key = JSON.parse(text.slice(at, end + 1)) as string;
        if (seen.has(key)) return key;
        seen.add(key);
      }
      at = end;
    }
  }
  return undefined;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    if (text[at] === '"') return at;
    if (text[at] === '\\') at += 1;
  }
}

/** `jobs[3].name`. */
const placeOf = (path: readonly PropertyKey[]) =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .slice(1);

export function problemsText(name: string, problems: readonly string[]): string {
  const more = problems.length > SHOWN ? [`… and ${problems.length - SHOWN} more`] : [];
  return [`${name} cannot be imported:`, ...problems.slice(0, SHOWN), ...more, 'Nothing was created.'].join('\n  ');
}
