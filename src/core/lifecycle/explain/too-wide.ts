import type { ObstacleReason } from '../../contract/unclaimable.ts';
import type { JobFacts, Reason } from './job-facts.ts';
import { obstacles, type RunnerRoom } from '../placement/obstacles.ts';

/** What another machine could have more of; time and labels are not matters of size. */
const SIZES = ['cpus', 'memory', 'gpus', 'nodes'] as const satisfies readonly ObstacleReason[];
type Size = (typeof SIZES)[number];

/** The option of `torc resource-requirements update` that lowers a requirement to what a machine has. */
const options: Readonly<Record<Size, (room: RunnerRoom) => string>> = {
  cpus: ({ cpus }) => `--num-cpus ${cpus}`,
  memory: ({ memoryBytes }) => `--memory ${Math.floor(memoryBytes / 2 ** 20)}m`,
  gpus: ({ gpus }) => `--num-gpus ${gpus}`,
  nodes: ({ nodes }) => `--num-nodes ${nodes}`,
};

/**
 * Why no known machine can take a job, and what can help; undefined if one is large enough, or where it is not known
 * what a new runner would have.
 *
 * Another runner on the same machines would take the job as little: that is never advised.
 */
export function tooWide(job: JobFacts): { reasons: readonly Reason[]; next: readonly string[] } | undefined {
  const { here, lastRunner, runners, labels, requirementsId } = job;
  if (here === undefined) return undefined;
  const known = [here, ...runners, ...(lastRunner === undefined ? [] : [lastRunner])].map(({ hostname, room }) => ({
    hostname,
    room,
    lacks: obstacles(job, room).filter(isSize),
  }));
  if (known.some(({ lacks }) => lacks.length === 0)) return undefined;
  const [largest] = known.toSorted((one, other) => one.lacks.length - other.lacks.length || compare(other, one));
  if (largest === undefined) return undefined;
  const { hostname, room, lacks } = largest;
  const needs = lacks.map((each) => each.needs).join(' and ');
  const label = labels.map((each) => ` --label ${each}`).join('');
  return {
    reasons: lacks.map((each) => ({
      code: each.reason,
      message: `the job needs ${each.needs}, and the largest machine that is known, ${hostname}, has ${each.has}`,
    })),
    next: [
      `lower what the job asks for: torc resource-requirements update ${requirementsId} ${lacks.map(({ reason }) => loweringOption(reason, room)).join(' ')}`,
      `or start a runner of the workflow${label} on a machine that has ${needs}`,
    ],
  };
}

export const loweringOption = (reason: Size, room: RunnerRoom): string => options[reason](room);

/** Whether a larger machine would help. */
export const isSize = <Found extends { readonly reason: ObstacleReason }>(
  found: Found,
): found is Found & { readonly reason: Size } => SIZES.some((size) => size === found.reason);

const compare = (one: { readonly room: RunnerRoom }, other: { readonly room: RunnerRoom }) =>
  one.room.cpus - other.room.cpus || one.room.memoryBytes - other.room.memoryBytes;
