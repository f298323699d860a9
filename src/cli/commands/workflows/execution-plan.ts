import type { ExecutionEvent, ExecutionPlan } from '../../../core/workflow-file/plan/execution-plan.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { alikeOf } from '../../../core/text/alike.ts';
import { withoutNumbers } from '../../../core/text/without-numbers.ts';
import { command } from '../../command/command.ts';
import type { Context } from '../../command/context.ts';
import { option } from '../../command/option.ts';
import { familiesText } from '../../output/reruns.ts';
import { planOrWorkflow, warnIfUninitialized } from '../../spec/plan-or-workflow.ts';

export const executionPlanCommand = command('workflows execution-plan <spec-or-id>', {
  says: 'Show which jobs of a workflow become ready when: for a file, or for an existing workflow by its id.',
  more: 'Events and jobs whose names differ only in numbers are one line, unless --all is given; -f json always has all. torc workflows graph draws what depends on what.',
  options: [option('--all', 'show each event and the name of each job')],
  async run(context, [given], { all }) {
    const { output } = context;
    const found = await planned(context, given);
    const text = [
      `Execution plan of ${found.workflow_name}: ${counted(found.total_jobs, 'job')} in ${counted(found.total_events, 'event')}`,
      ...(all === true ? eachEvent(found) : byFamilies(found)),
    ].join('\n');
    if (output.format === 'csv') output.text(text);
    else output.record('execution plan', found, text);
  },
});

async function planned(context: Context, given: string): Promise<ExecutionPlan> {
  const found = await planOrWorkflow(context, given);
  const { executionPlan } = await import('../../../core/workflow-file/plan/execution-plan.ts');
  if ('plan' in found) return executionPlan(found.plan);
  const { id } = found;
  const { stagedWorkflow } = await import('../../../client/staged-workflow.ts');
  const { client } = await context.service();
  await warnIfUninitialized(context, id);
  return executionPlan(await stagedWorkflow(client, id), { source: 'database', workflow_id: id });
}

/** Groups of events that are shown. */
const MOST_GROUPS = 100;

/** Events that differ only in numbers, as one. */
function byFamilies({ events }: ExecutionPlan): string[] {
  const groups = alikeOf(
    events,
    ({ id }) => id,
    ({ trigger_description: when, jobs_becoming_ready: jobs, unlocks_events: next }) =>
      `${when}\0${stemsOf(jobs)}\0${stemsOf(next)}`,
  );
  const lines = groups
    .slice(0, MOST_GROUPS)
    .flatMap(({ items, name, text }) => [
      '',
      ...eventLines(
        items.length === 1 ? name : `${name} (${counted(items.length, 'event')})`,
        text.slice(0, text.indexOf('\0')),
        items,
      ),
    ]);
  const more = groups.slice(MOST_GROUPS).reduce((sum, { items }) => sum + items.length, 0);
  return more === 0 ? lines : [...lines, '', `and ${counted(more, 'more event')}; --all shows them`];
}

function eventLines(title: string, when: string, events: readonly ExecutionEvent[]): string[] {
  const next = [...new Set(events.flatMap(({ unlocks_events: ids }) => ids))];
  return [
    `${title}: ${when}`,
    ...new Set(events.flatMap(allocationLines)),
    `  ready: ${familiesText(
      events.flatMap(({ jobs_becoming_ready: jobs }) => jobs),
      'job',
    )}`,
    ...(next.length === 0 ? [] : [`  then: ${familiesText(next, 'event')}`]),
  ];
}

const stemsOf = (names: readonly string[]): string => [...new Set(names.map(withoutNumbers))].join(' ');

const eachEvent = ({ events }: ExecutionPlan): string[] =>
  events.flatMap((event) => [
    '',
    `${event.id}: ${event.trigger_description}`,
    ...allocationLines(event),
    `  ready: ${event.jobs_becoming_ready.join(', ')}`,
    ...(event.unlocks_events.length === 0 ? [] : [`  then: ${event.unlocks_events.join(', ')}`]),
  ]);

const allocationLines = ({ scheduler_allocations: allocations }: ExecutionEvent): string[] =>
  allocations.map((each) => `  allocate: ${each.num_allocations} × ${each.scheduler} (${each.scheduler_type})`);
