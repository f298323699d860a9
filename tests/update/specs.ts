import fc from 'fast-check';
import type { StoredPlan } from '../../src/core/workflow-file/update/stored.ts';

/** Small workflow files whose jobs, files and settings overlap, so that two of them differ in everything now and then. */
const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const;

const job = fc.record({
  command: fc.constantFrom('true', 'echo 1', 'echo 2'),
  priority: fc.constantFrom(undefined, 1, 2),
  needs: fc.constantFrom(undefined, 'small', 'large'),
  env: fc.constantFrom(undefined, { A: '1' }, { A: '2' }),
  labels: fc.constantFrom(undefined, ['gpu']),
  cancels: fc.constantFrom(undefined, false),
  /** Bits: which earlier jobs it waits for, and which files of earlier jobs it reads. */
  after: fc.nat(63),
  reads: fc.nat(63),
  writes: fc.boolean(),
  handled: fc.boolean(),
  data: fc.constantFrom(undefined, 'settings'),
  isThere: fc.boolean(),
});

export const spec = fc
  .record({
    jobs: fc.array(job, { minLength: names.length, maxLength: names.length }),
    memory: fc.constantFrom('1g', '2g'),
    path: fc.constantFrom('/x/', '/y/'),
    rule: fc.constantFrom(1, 2),
    value: fc.constantFrom(1, 2),
    env: fc.constantFrom(undefined, { B: '1' }),
    description: fc.constantFrom(undefined, 'one', 'two'),
    order: fc.constantFrom('up', 'down'),
    action: fc.constantFrom(undefined, 'echo start', 'echo begin'),
  })
  .map(({ jobs: all, memory, path, rule, value, env, description, order, action }) => {
    const jobs = all.flatMap((each, index) =>
      each.isThere || index === 0 ? [{ ...each, name: names[index] as string }] : [],
    );
    // In one of two orders, so that a job may depend on one with a higher id.
    const inOrder = order === 'up' ? jobs : jobs.toReversed();
    const written = new Set<string>();
    const made = inOrder.map(
      ({ name, command, priority, needs, env: own, labels, cancels, after, reads, writes, handled, data }, index) => {
        const earlier = inOrder.slice(0, index).map((each) => each.name);
        const inputs = earlier.filter((each, at) => written.has(each) && ((reads >> at) & 1) === 1);
        if (writes) written.add(name);
        return {
          name,
          command,
          ...(priority === undefined ? {} : { priority }),
          ...(needs === undefined ? {} : { resource_requirements: needs }),
          ...(own === undefined ? {} : { env: own }),
          ...(labels === undefined ? {} : { labels }),
          ...(cancels === undefined ? {} : { cancel_on_blocking_job_failure: cancels }),
          ...(handled ? { failure_handler: 'again' } : {}),
          ...(data === undefined ? {} : { input_user_data: [data] }),
          depends_on: earlier.filter((_, at) => ((after >> at) & 1) === 1),
          input_files: inputs.map((each) => `out_${each}`),
          output_files: writes ? [`out_${name}`] : [],
        };
      },
    );
    return {
      name: 'flow',
      ...(description === undefined ? {} : { description }),
      ...(env === undefined ? {} : { env }),
      jobs: made,
      files: [...written].map((each) => ({ name: `out_${each}`, path: `${path}${each}` })),
      user_data: [{ name: 'settings', data: { value } }],
      resource_requirements: [
        { name: 'small', num_cpus: 1, memory, runtime: 'PT1M' },
        { name: 'large', num_cpus: 2, memory: '4g', runtime: 'PT1M' },
      ],
      failure_handlers: [{ name: 'again', rules: [{ exit_codes: [rule] }] }],
      ...(action === undefined
        ? {}
        : { actions: [{ trigger_type: 'on_workflow_start', action_type: 'run_commands', commands: [action] }] }),
    };
  });

/** A plan without ids, progress and order: equal for workflows that would do the same. */
export function planText({ workflow, jobs, files, userData, requirements, handlers, actions }: StoredPlan) {
  const nameOf = (records: readonly { id: number; name: string }[]) =>
    new Map(records.map(({ id, name }) => [id, name]));
  const [jobNames, fileNames, dataNames] = [nameOf(jobs), nameOf(files), nameOf(userData)];
  const [needNames, handlerNames] = [nameOf(requirements), nameOf(handlers)];
  const sorted = <Item>(items: Item[]) =>
    items.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
  const { description, env, execution_config: execution } = workflow;
  const named = (of: Map<number, string>, ids: readonly number[] | null | undefined) =>
    sorted((ids ?? []).map((id) => of.get(id)));
  return {
    workflow: { description, env, execution },
    jobs: sorted(
      jobs
        .filter(({ removed_at_ms: removedAt }) => removedAt === null)
        .map((each) => ({
          name: each.name,
          command: each.command,
          env: sorted(Object.entries(each.env ?? {})),
          priority: each.priority,
          labels: each.labels,
          cancels: each.cancel_on_blocking_job_failure,
          needs: needNames.get(each.resource_requirements_id ?? 0),
          handler: handlerNames.get(each.failure_handler_id ?? 0),
          after: named(jobNames, each.depends_on_job_ids),
          reads: named(fileNames, each.input_file_ids),
          writes: named(fileNames, each.output_file_ids),
          data: named(dataNames, each.input_user_data_ids),
        })),
    ),
    files: sorted(files.map(({ name, path }) => ({ name, path }))),
    userData: sorted(userData.map(({ name, data }) => ({ name, data }))),
    requirements: sorted(requirements.map(({ id: _id, workflow_id: _of, ...rest }) => rest)),
    handlers: sorted(handlers.map(({ name, rules }) => ({ name, rules }))),
    actions: sorted(
      actions.map(({ trigger_type: trigger, action_type: type, action_config: config }) => ({ trigger, type, config })),
    ),
  };
}

/** For a runner that has no labels. */
export const withoutLabels = <Spec extends { jobs: object[] }>(of: Spec): Spec => ({
  ...of,
  jobs: of.jobs.map((each) => Object.fromEntries(Object.entries(each).filter(([field]) => field !== 'labels'))),
});
