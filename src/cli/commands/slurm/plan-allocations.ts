import type { Tested } from '../../../cluster/batch/allocation-script.ts';
import { openBatch } from '../../../cluster/open-batch.ts';
import type { PlannedScheduler } from '../../../hpc/plan-schedulers.ts';
import { type Estimates, type Recommendation, recommend } from '../../../hpc/recommend.ts';
import { greatest } from '../../../core/quantity/extremes.ts';
import { parseWalltime } from '../../../core/quantity/slurm-time.ts';
import { byLevel, walk } from '../../../core/workflow-file/graph/walk.ts';
import type { Plan } from '../../../core/workflow-file/plan/plan.ts';
import { testAllocation } from '../../../operations/submit/test-submission.ts';
import { type BatchWords, batchWords } from '../../../core/allocation/batch-words.ts';
import { command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import type { Column } from '../../output/table.ts';
import { nodeHoursJson, nodeHoursLine } from './node-hours.ts';
import { testedWords } from '../../slurm/tested.ts';
import { type Planned, planFile, schedulerLine } from '../../slurm/plan-file.ts';
import { planningOptions } from '../../slurm/planning-options.ts';
import { option } from '../../command/option.ts';

interface Row extends Recommendation {
  readonly scheduler: PlannedScheduler;
}

const columnsFor = (words: BatchWords): readonly Column<Row>[] => [
  { title: 'Scheduler', value: ({ scheduler }) => scheduler.name, importance: 9 },
  { title: 'Group', value: ({ scheduler }) => scheduler.group.requirements.join(', '), importance: 8 },
  { title: words.placeTitle, value: ({ scheduler }) => scheduler.on.name },
  { title: 'Jobs', value: ({ scheduler }) => scheduler.group.jobs.length, align: 'right' },
  { title: 'Allocations', value: ({ allocations }) => allocations, align: 'right' },
  { title: 'Nodes Each', value: ({ nodesPerAllocation }) => nodesPerAllocation, align: 'right' },
  { title: 'Walltime', value: ({ scheduler }) => scheduler.walltime, align: 'right' },
  { title: 'Strategy', value: ({ strategy }) => strategy },
  { title: 'Reason', value: ({ reason }) => reason, cut: 'end', importance: 3 },
];

export const planAllocationsCommand = command('slurm plan-allocations <file>', {
  says: 'Recommend how to split the allocations of a workflow file, from the state of the cluster.',
  example: 'sweep.yaml --account climate',
  options: [
    ...planningOptions,
    option('-p, --partition <name>', 'use this partition only'),
    option('--offline', 'do not ask the batch system about its nodes and its queue'),
    option('--skip-test-only', 'do not ask when allocations would start'),
  ],
  offline: true,
  async run(context, [given], options) {
    const { output } = context;
    const forcedPartition = options.partition;
    const planned = await planFile(context, given, options, { forcedPartition });
    const { plan, profile, account, schedulers } = planned;
    const warnings = [...schedulers.warnings];
    const isOffline = options.offline === true;
    const state = isOffline
      ? undefined
      : await openBatch(context.environment)
          .load()
          .catch((error: Error) => {
            warnings.push(`The state of the cluster is unknown: ${error.message}`);
            return undefined;
          });
    const rows: Row[] = [];
    for (const scheduler of schedulers.schedulers) {
      const ideal = scheduler.allocations;
      const asks = state !== undefined && options.skipTestOnly !== true;
      const estimates = asks ? await estimatesOf(context, planned, scheduler, warnings) : undefined;
      const nodes = state?.nodes.get(scheduler.on.name);
      const queue = state?.queue.get(scheduler.on.name);
      const nodesEach = scheduler.nodes;
      rows.push({
        scheduler,
        ...recommend({ ideal, nodesEach, nodes, queue, isOffline: state === undefined, estimates }),
      });
    }
    for (const warning of warnings) output.warn(warning);
    output.list({
      items: rows,
      columns: columnsFor(batchWords(profile.system)),
      things: 'groups',
      title: `Allocations for ${profile.display_name}:`,
      empty: 'No group of jobs needs allocations',
      json: {
        workflow_analysis: analysisOf(plan, rows.length),
        cluster_state: state === undefined ? null : Object.fromEntries(state.nodes),
        recommendations: rows.map(({ scheduler, allocations, nodesPerAllocation, strategy, reason }) => ({
          scheduler: scheduler.name,
          generated_allocations: scheduler.allocations,
          generated_nodes: scheduler.nodes,
          group_name: scheduler.group.requirements.join(','),
          partition: scheduler.on.name,
          num_allocations: allocations,
          nodes_per_allocation: nodesPerAllocation,
          total_nodes: allocations * nodesPerAllocation,
          strategy,
          reason,
          walltime: scheduler.walltime,
          job_count: scheduler.group.jobs.length,
        })),
        warnings,
        resource_groups: schedulers.schedulers.map(({ group, on, walltime, allocations, nodes }) => ({
          name: group.requirements.join(','),
          partition: on.name,
          job_count: group.jobs.length,
          walltime,
          ideal_nodes: allocations * nodes,
        })),
        node_hours: nodeHoursJson(schedulers),
        profile_name: profile.name,
        profile_display_name: profile.display_name,
        account,
      },
    });
    if (rows.length === 0) return;
    output.notice(
      [
        'torc slurm generate makes:',
        ...schedulers.schedulers.map((each) => schedulerLine(each, profile)),
        ...(rows.some(({ strategy, scheduler }) => strategy === 'single' && scheduler.allocations > 1)
          ? ['With --single-allocation each has one allocation.']
          : []),
        nodeHoursLine(schedulers, planned.groupBy),
      ].join('\n'),
    );
  },
});

const MINUTE_MS = 60_000;

/** Undefined for one allocation, and with a warning where Slurm would refuse it or cannot say when it would start. */
async function estimatesOf(
  { environment }: Context,
  { plan: { workflow }, requestOf }: Pick<Planned, 'plan' | 'requestOf'>,
  scheduler: PlannedScheduler,
  warnings: string[],
): Promise<Estimates | undefined> {
  const { allocations, nodes: each, walltime, name } = scheduler;
  const batch = openBatch(environment);
  const test = (nodes: number) =>
    testAllocation(batch, {
      scheduler: requestOf({ ...scheduler, nodes }),
      defaults: workflow.slurm_defaults ?? {},
    });
  const startIn = (tested: Tested | undefined) =>
    tested?.kind === 'starts' ? Math.max(0, (tested.atMs - Date.now()) / MINUTE_MS) : undefined;
  const one = await test(each);
  if (one === undefined) return undefined;
  const small = startIn(one);
  if (small === undefined)
    warnings.push(
      testedWords(batch, scheduler, one) ?? `When allocations of ${name} would start is unknown: ${wordsOf(one)}`,
    );
  // A cluster may have too few nodes for all of them at once: then they stay apart.
  const large = small === undefined || allocations === 1 ? undefined : startIn(await test(allocations * each));
  if (small === undefined || large === undefined) return undefined;
  const minutes = parseWalltime(walltime) / 60;
  return { largeFinish: large + minutes, smallWait: small, smallFinish: small + minutes };
}

const wordsOf = (tested: Tested) => (tested.kind === 'starts' ? '' : tested.words);

function analysisOf(plan: Plan, groups: number) {
  // The levels of all dependencies, files and user data included.
  const { starts } = byLevel(walk(plan.graph).levels);
  const widths = Array.from({ length: Math.max(0, starts.length - 1) }, (_, level) => {
    return (starts[level + 1] ?? 0) - (starts[level] ?? 0);
  }).filter((jobs) => jobs > 0);
  const widest = greatest(widths, 0);
  return {
    total_jobs: plan.before.jobs,
    total_instances: plan.jobs.length,
    dependency_depth: widths.length,
    max_parallelism: widest,
    max_parallelism_level: Math.max(0, widths.indexOf(widest)),
    resource_groups: groups,
  };
}
