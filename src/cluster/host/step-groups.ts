import { dirname, basename } from 'node:path';
import { type ControlGroup, groupOf, type Roots, useOfGroup } from './control-group.ts';
import type { TreeUse } from './process-tree.ts';

/**
 * Replaces sums over processes by the figures of the control group, for jobs that have one: Slurm steps.
 *
 * The kernel keeps these figures for the whole step: they include ended processes, and count shared memory once. The
 * first few samples of a job search for its group, because a step takes a moment to begin.
 */
export interface StepGroups {
  apply(uses: ReadonlyMap<number, TreeUse>): ReadonlyMap<number, TreeUse>;
}

const LOOKS = 4;

export function createStepGroups(roots: Roots = {}): StepGroups {
  const own = groupOf('self', roots)?.memoryFolder;
  let found = new Map<number, { readonly group: ControlGroup | undefined; readonly looks: number }>();

  const groupFor = (root: number, { members }: TreeUse) => {
    const before = found.get(root) ?? { group: undefined, looks: 0 };
    if (before.group !== undefined || before.looks >= LOOKS) return before;
    const group = members.map(({ pid }) => stepOf(pid, roots)).find((each) => each !== undefined);
    return { group: group?.memoryFolder === own ? undefined : group, looks: before.looks + 1 };
  };

  return {
    apply(uses) {
      const next: typeof found = new Map();
      const applied = new Map<number, TreeUse>();
      for (const [root, use] of uses) {
        const known = groupFor(root, use);
        next.set(root, known);
        const measured = known.group === undefined ? undefined : useOfGroup(known.group);
        applied.set(
          root,
          measured === undefined
            ? use
            : {
                members: use.members,
                residentBytes: measured.memoryBytes,
                cpuSeconds: measured.cpuSeconds ?? use.cpuSeconds,
              },
        );
      }
      found = next;
      return applied;
    },
  };
}

/** The group of the step that a process is in: Slurm creates groups for its tasks below it. */
function stepOf(pid: number, roots: Roots): ControlGroup | undefined {
  const group = groupOf(pid, roots);
  if (group === undefined) return undefined;
  const { memoryFolder, cpuFolder } = group;
  const memory = upToStep(memoryFolder);
  if (memory === undefined) return undefined;
  return { ...group, memoryFolder: memory, cpuFolder: cpuFolder === undefined ? undefined : upToStep(cpuFolder) };
}

function upToStep(folder: string): string | undefined {
  for (let at = folder; at !== dirname(at); at = dirname(at)) if (basename(at).startsWith('step_')) return at;
  return undefined;
}
