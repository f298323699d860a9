import { FAILED, SUCCEEDED } from '../job/statuses.ts';
import type { File as FileRecord } from '../contract/artifact.ts';
import type { ResourceRequirements } from '../contract/resources.ts';
import type { UsedJob } from '../lifecycle/resources/used-jobs.ts';
import { greatest, smallest } from '../quantity/extremes.ts';
import { parseMoment } from '../quantity/moment.ts';
import { alikeOf } from '../text/alike.ts';
import { withoutNumbers } from '../text/without-numbers.ts';

/** One of two workflows, or of two runs of one. */
export interface ComparedSide {
  readonly workflowId: number;
  readonly runId: number;
  readonly name: string;
  /** With the results of that run. */
  readonly jobs: readonly UsedJob[];
  readonly files: readonly Pick<FileRecord, 'name' | 'path'>[];
}

type Two<Value> = readonly [first: Value, second: Value];

/** Lists that a person reads. */
const [MOST_FAMILIES, MOST_FILES] = [50, 50];

/** What differs between two workflows or runs; each pair is the first, then the second. Times in seconds, memory in bytes. */
export function comparison(sides: Two<ComparedSide>) {
  const stems = sides.map(({ jobs }) => Map.groupBy(jobs, ({ name }) => withoutNumbers(name)));
  const names = new Set(stems.flatMap((each) => [...each.keys()]));
  const families = [...names]
    .map((name) =>
      familyRecord(
        name,
        both((at) => stems[at]?.get(name) ?? []),
      ),
    )
    .toSorted((one, other) => differenceOf(other) - differenceOf(one));
  const shown = families.slice(0, MOST_FAMILIES);
  return {
    sides: both((at) => sideRecord(sides[at])),
    families: shown,
    families_left_out: families.length - shown.length,
    files: filesRecord(sides),
  };
}

export type WorkflowComparison = ReturnType<typeof comparison>;

const both = <Value>(of: (at: 0 | 1) => Value): Two<Value> => [of(0), of(1)];

function sideRecord({ workflowId, runId, name, jobs }: ComparedSide) {
  const results = jobs.flatMap(({ result }) => result ?? []);
  const ends = results.flatMap((result) => {
    const end = parseMoment(result.completion_time);
    return end === undefined ? [] : [{ end, start: end - Math.max(0, result.exec_time_minutes) * 60_000 }];
  });
  const wall = ends.length === 0 ? 0 : greatest(ends.map(({ end }) => end)) - smallest(ends.map(({ start }) => start));
  return {
    workflow_id: workflowId,
    run_id: runId,
    name,
    jobs: jobs.length,
    ended: results.length,
    failed: results.filter(({ status }) => FAILED.has(status)).length,
    not_completed: results.filter(({ status }) => !SUCCEEDED.has(status)).length,
    wall_seconds: rounded(wall / 1000),
    execution_seconds: rounded(results.reduce((sum, each) => sum + Math.max(0, each.exec_time_minutes) * 60, 0)),
  };
}

function familyRecord(stem: string, jobs: Two<readonly UsedJob[]>) {
  const ended = both((at) => jobs[at].flatMap(({ use }) => use ?? []));
  const seconds = both((at) => ended[at].map((use) => use.seconds));
  const memory = both((at) => ended[at].flatMap(({ peakMemoryBytes: bytes }) => (bytes ? [bytes] : [])));
  return {
    name:
      alikeOf(
        [...jobs[0], ...jobs[1]],
        ({ name }) => name,
        () => '',
      )[0]?.name ?? stem,
    jobs: both((at) => jobs[at].length),
    ended: both((at) => ended[at].length),
    not_completed: both((at) => ended[at].filter(({ isSuccess }) => !isSuccess).length),
    median_seconds: both((at) => medianOf(seconds[at])),
    max_seconds: both((at) => mostOfAll(seconds[at])),
    median_memory_bytes: both((at) => medianOf(memory[at])),
    max_memory_bytes: both((at) => mostOfAll(memory[at])),
    requirements: both((at) => requirementsOf(jobs[at])),
  };
}

type FamilyRecord = ReturnType<typeof familyRecord>;

/** The seconds by which all of its jobs together differ: what changed most stands first. */
const differenceOf = ({ median_seconds: [first, second], ended }: FamilyRecord): number =>
  Math.abs((first ?? 0) * ended[0] - (second ?? 0) * ended[1]);

function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : rounded((low + high) / 2);
}

const mostOfAll = (values: readonly number[]): number | null =>
  values.length === 0 ? null : rounded(greatest(values));

/** What its jobs ask for, as one text; several texts where they ask for different things. */
function requirementsOf(jobs: readonly UsedJob[]): string[] {
  const text = ({ name, num_cpus: cpus, memory, runtime }: ResourceRequirements) =>
    name === 'default' ? 'nothing' : `${cpus ?? 1} CPU, ${memory}, ${runtime}`;
  return [...new Set(jobs.map(({ requirements }) => text(requirements)))].toSorted();
}

function filesRecord([first, second]: Two<ComparedSide>) {
  const paths = both((at) => new Map([first, second][at]?.files.map(({ name, path }) => [name, path])));
  const onlyIn = (at: 0 | 1) => [...paths[at].keys()].filter((name) => !paths[at === 0 ? 1 : 0].has(name));
  const moved = [...paths[0]].flatMap(([name, path]) => {
    const other = paths[1].get(name);
    return other === undefined || other === path ? [] : [{ name, paths: [path, other] }];
  });
  const only = both(onlyIn);
  return {
    only_in: both((at) => only[at].slice(0, MOST_FILES)),
    other_path: moved.slice(0, MOST_FILES),
    left_out: [only[0], only[1], moved].reduce((sum, list) => sum + Math.max(0, list.length - MOST_FILES), 0),
  };
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
