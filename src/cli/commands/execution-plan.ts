import { existsSync } from 'node:fs';
import type { Command } from '../command.ts';
import { Failure } from '../failure.ts';

export const executionPlan: Command = {
  words: 'workflows execution-plan <spec>',
  says: 'Say which jobs of a workflow file become ready when.',
  offline: true,
  async run({ output }, [given]) {
    const path = given as string;
    if (path !== '-' && !existsSync(path)) throw new Failure(`'${path}' is not a workflow file`);
    const { readSpecFile } = await import('../read-spec.ts');
    const { executionPlan: planned } = await import('../../core/spec/execution-plan.ts');
    const { formatProblem } = await import('../../core/spec/problems.ts');
    const { plan, problems } = readSpecFile(path, { strict: false });
    if (plan === undefined) throw new Failure(problems.map(formatProblem).join('\n'));
    const found = planned(plan);
    const text = [
      `Execution plan of ${found.workflow_name}: ${found.total_jobs} jobs in ${found.total_events} events`,
      ...found.events.flatMap((event) => [
        '',
        `${event.id}: ${event.trigger_description}`,
        ...event.scheduler_allocations.map(
          (each) => `  allocate: ${each.num_allocations} × ${each.scheduler} (${each.scheduler_type})`,
        ),
        `  ready: ${some(event.jobs_becoming_ready)}`,
        ...(event.unlocks_events.length === 0 ? [] : [`  then: ${some(event.unlocks_events)}`]),
      ]),
    ].join('\n');
    if (output.format === 'csv') output.text(text);
    else output.record('execution plan', found, text);
  },
};

/** Names that are shown of a long list. */
const SHOWN = 20;

const some = (names: readonly string[]) =>
  names.length <= SHOWN ? names.join(', ') : `${names.slice(0, SHOWN).join(', ')} and ${names.length - SHOWN} more`;
