import { type Amounts, limitsFault } from '../../core/job/amounts.ts';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';
import { UsageError } from './failure.ts';
import { integerOption, option, optionsOf, type ValuesOf } from './option.ts';

/** One limit: `matlab=4`. */
export function limitOption(text: string, option: string): readonly [name: string, most: number] {
  const [, name, digits] = /^(.+?)=(\d+)$/s.exec(text.trim()) ?? [];
  if (name === undefined) throw new UsageError(`${option}: expected NAME=NUMBER such as matlab=4, found "${text}"`);
  const most = Number(digits);
  const fault = limitsFault({ [name]: most });
  if (fault !== undefined) throw new UsageError(`${option}: ${fault}`);
  return [name, most];
}

/** The limits that options give, or those of the configuration. */
export const limitsGiven = (given: Amounts | readonly (readonly [string, number])[] | undefined): Amounts =>
  Array.isArray(given)
    ? Object.fromEntries(given as readonly (readonly [string, number])[])
    : ((given ?? {}) as Amounts);

const least = { read: integerOption(0) } as const;

/** Settings of a workflow: what its jobs use at a time, over all of its runners, and what makes them run again. */
export const workflowSettingOptions = optionsOf([
  option('--max-cores <n>', 'CPUs that jobs of the workflow use at a time, on all runners together', least),
  option('--max-gpus <n>', 'GPUs that they use at a time', least),
  option('--max-nodes <n>', 'nodes of the runners that have jobs of the workflow at a time', least),
  option('--rerun-by <what>', 'what of an input makes a job run again: its content, or its time and size', {
    choices: ['content', 'time'],
  }),
]);

export type WorkflowSettingValues = Partial<ValuesOf<typeof workflowSettingOptions>>;

/** The limits of a workflow that options give; empty if they give none. */
export const limitsOfOptions = (options: WorkflowSettingValues): Record<string, number> =>
  Object.fromEntries(
    [
      ['cores', options.maxCores],
      ['gpus', options.maxGpus],
      ['nodes', options.maxNodes],
    ].filter((each): each is [string, number] => each[1] !== undefined),
  );

/** A plan with the settings that options give, in place of its own. */
export function withSettings(plan: Plan, options: WorkflowSettingValues): Plan {
  const limits = limitsOfOptions(options);
  const { rerunBy: rerun } = options;
  const workflow =
    Object.keys(limits).length === 0
      ? plan.workflow
      : { ...plan.workflow, limits: { ...plan.workflow.limits, ...limits } };
  const executionConfig =
    rerun === undefined ? plan.executionConfig : () => ({ mode: 'direct', ...plan.executionConfig(), rerun }) as const;
  return { ...plan, workflow, executionConfig };
}
