import { ListsWriter, type Lists } from '../../core/lists/int-list.ts';
import { cycleText } from '../../core/workflow-file/graph/cycle-text.ts';
import { byLevel, walk } from '../../core/workflow-file/graph/walk.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { type Exported, problemsText } from './document.ts';

/** The maximum number of dependencies of an imported workflow. */
const MOST_EDGES = 50_000_000;

/**
 * The positions of the jobs by level: those of level 0 have no dependencies, those of the next depend on some of them,
 * and so on.
 *
 * Refuses a file whose records name missing ones, with duplicate ids, or with jobs that wait for each other.
 */
export function checkedLevels(document: Exported, name: string): Lists {
  const problems = [...referenceProblems(document)];
  if (problems.length > 0) throw new Refusal('IMPORT_REFUSED', problemsText(name, problems));
  const { jobs } = document;
  const places = new Map(jobs.map(({ id }, place) => [id, place]));
  const writer = new ListsWriter(jobs.length, jobs.length, MOST_EDGES);
  for (const { depends_on_job_ids: upstream } of jobs) {
    for (const id of upstream ?? []) writer.add(places.get(id) as number);
    writer.next();
  }
  const { levels, cycles } = walk({ jobs: jobs.length, waitsFor: writer.done() });
  if (cycles.length === 0) return byLevel(levels);
  const circles = cycles.map(
    (cycle) => `jobs wait for each other: ${cycleText(cycle, (job) => jobs[job]?.name ?? '')}`,
  );
  throw new Refusal('IMPORT_REFUSED', problemsText(name, circles));
}

function* referenceProblems(document: Exported): Generator<string> {
  const idsOf = (records: readonly { readonly id: number }[]) => new Set(records.map(({ id }) => id));
  const known = {
    jobs: idsOf(document.jobs),
    files: idsOf(document.files),
    user_data: idsOf(document.user_data),
    resource_requirements: idsOf(document.resource_requirements),
    compute_nodes: idsOf(document.compute_nodes),
  };
  for (const [kind, ids] of Object.entries(known)) {
    const count = document[kind as keyof typeof known].length;
    if (ids.size < count) yield `${kind}: ${count - ids.size} of ${count} have an id that another one has`;
  }
  for (const [place, job] of document.jobs.entries()) {
    const lists = [
      ['depends_on_job_ids', known.jobs],
      ['input_file_ids', known.files],
      ['output_file_ids', known.files],
      ['input_user_data_ids', known.user_data],
      ['output_user_data_ids', known.user_data],
    ] as const;
    for (const [field, ids] of lists) {
      const missing = job[field]?.find((id) => !ids.has(id));
      if (missing !== undefined) yield `jobs[${place}].${field} (${job.name}): the file has no record ${missing}`;
    }
    const needs = job.resource_requirements_id;
    if (needs && !known.resource_requirements.has(needs))
      yield `jobs[${place}].resource_requirements_id (${job.name}): the file has no record ${needs}`;
  }
  for (const [place, action] of document.workflow_actions.entries()) {
    const missing = action.job_ids?.find((id) => !known.jobs.has(id));
    if (missing !== undefined) yield `workflow_actions[${place}].job_ids: the file has no job ${missing}`;
  }
  for (const [place, result] of document.results.entries()) {
    if (!known.jobs.has(result.job_id)) yield `results[${place}].job_id: the file has no job ${result.job_id}`;
  }
}
