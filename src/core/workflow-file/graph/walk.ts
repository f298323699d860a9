import type { Lists } from '../../lists/int-list.ts';
import type { Graph } from './graph.ts';

/** The order in which the jobs of a graph can start, and the circles in it. */
export interface Walk {
  /** Per job: 0 if it waits for none, otherwise one more than the highest level of its dependencies. */
  readonly levels: Int32Array;
  /** Jobs that wait for each other, each for the next and the last for the first. At most `MOST_CYCLES`. */
  readonly cycles: readonly (readonly number[])[];
}

// There is seldom only one circle, but the hundredth is not useful.
const MOST_CYCLES = 20;

const [UNSEEN, OPEN, DONE] = [0, 1, 2];

/**
 * Walks a graph depth first, with its own stack: a chain of a million jobs is no deeper than one of ten.
 *
 * An edge that closes a circle is recorded and then ignored, so the levels of the other jobs are still correct.
 */
export function walk({ jobs, waitsFor: { starts, items } }: Graph): Walk {
  const nodes = Math.max(jobs, starts.length - 1);
  const state = new Uint8Array(nodes);
  const level = new Int32Array(nodes).fill(-1);
  const stack = new Int32Array(nodes);
  const next = new Int32Array(nodes);
  const cycles: number[][] = [];
  for (let root = 0; root < jobs; root += 1) {
    if (state[root] !== UNSEEN) continue;
    let depth = 0;
    stack[0] = root;
    state[root] = OPEN;
    next[root] = starts[root] ?? 0;
    while (depth >= 0) {
      const node = stack[depth] ?? 0;
      const at = next[node] ?? 0;
      if (at < (starts[node + 1] ?? 0)) {
        next[node] = at + 1;
        const target = items[at] ?? 0;
        if (state[target] === UNSEEN) {
          depth += 1;
          stack[depth] = target;
          state[target] = OPEN;
          next[target] = starts[target] ?? 0;
        } else if (state[target] === DONE) level[node] = Math.max(level[node] ?? -1, level[target] ?? -1);
        else if (cycles.length < MOST_CYCLES) cycles.push(circle(stack, depth, target, jobs));
        continue;
      }
      state[node] = DONE;
      if (node < jobs) level[node] = (level[node] ?? -1) + 1;
      depth -= 1;
      const above = depth < 0 ? -1 : (stack[depth] ?? -1);
      if (above >= 0) level[above] = Math.max(level[above] ?? -1, level[node] ?? -1);
    }
  }
  return { levels: level.subarray(0, jobs), cycles };
}

/** The jobs on the stack from `target` on. */
function circle(stack: Int32Array, depth: number, target: number, jobs: number): number[] {
  const from = stack.subarray(0, depth + 1).lastIndexOf(target);
  return [...stack.subarray(from, depth + 1)].filter((node) => node < jobs);
}

/** The jobs of each level, in order: those of level 0 may start at once. */
export function byLevel(levels: Int32Array): Lists {
  const count = levels.reduce((most, level) => Math.max(most, level + 1), 0);
  const starts = new Int32Array(count + 1);
  for (const level of levels) starts[level + 1] = (starts[level + 1] ?? 0) + 1;
  for (let level = 0; level < count; level += 1) starts[level + 1] = (starts[level + 1] ?? 0) + (starts[level] ?? 0);
  const next = starts.slice();
  const items = new Int32Array(levels.length);
  for (const [job, level] of levels.entries()) {
    items[next[level] ?? 0] = job;
    next[level] = (next[level] ?? 0) + 1;
  }
  return { starts, items };
}
