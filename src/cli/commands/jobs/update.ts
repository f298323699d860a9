import { requirementsWith } from '../../../operations/resources/job-requirements.ts';
import { chooseJob, recordKinds, recordWithin, workflowOption } from '../../choose/choose-record.ts';
import { command } from '../../command/command.ts';
import { Failure, UsageError } from '../../command/failure.ts';
import { integerOption, option } from '../../command/option.ts';
import { fieldsText } from '../../output/fields.ts';

export const jobsUpdate = command('jobs update <job>', {
  says: 'Change a job: name and command while it is uninitialized, other fields at any time; fields that are not given keep their value.',
  example: 'train_3 -w 1 --priority 5',
  more: 'With --runtime a job that shares its resource requirements gets its own; other jobs keep theirs.',
  options: [
    workflowOption,
    option('-n, --name <name>', 'a new name'),
    option('-c, --command <command>', 'a new command'),
    option('--runtime <duration>', 'maximum runtime, such as 2h, 90s or PT2H'),
    option('--resource-requirements-id <requirements>', 'resource requirements, by id or name'),
    option('--timeout <duration>', 'longest time that it may run, such as 2h, 90s or PT2H'),
    option('--priority <n>', 'larger numbers start first', { read: integerOption(0) }),
    option('--label <label>', 'labels that replace the present ones; may be repeated or separated by commas', {
      many: true,
    }),
    option('--clear-labels', 'remove all labels'),
  ],
  async run(context, [given], options) {
    const { output } = context;
    output.recordOnly('job');
    const labels = options.label;
    if (labels !== undefined && options.clearLabels === true)
      throw new UsageError('--label and --clear-labels cannot be used together');
    const changes = {
      name: options.name,
      command: options.command,
      priority: options.priority,
      timeout: options.timeout,
      labels: options.clearLabels === true ? [] : labels?.flatMap((text) => text.split(',')),
    };
    const runtime = options.runtime;
    const needed = options.resourceRequirementsId;
    if (runtime === undefined && needed === undefined && Object.values(changes).every((value) => value === undefined))
      throw new Failure(
        'no fields to update. Provide at least one of --name, --command, --runtime, --resource-requirements-id, --timeout, --priority, --label, --clear-labels',
      );
    const id = await chooseJob(context, given, options.workflowId);
    const { client } = await context.service();
    const before = await client.getJob({ params: { id } });
    const requirementsId = await recordWithin(context, recordKinds.requirements, before.workflow_id, needed);
    const own = runtime === undefined ? undefined : await requirementsWith(client, before, requirementsId, { runtime });
    const job = await client.updateJob({
      params: { id },
      body: {
        ...changes,
        // Torc's own server requires these three in every update.
        workflow_id: before.workflow_id,
        name: changes.name ?? before.name,
        command: changes.command ?? before.command,
        resource_requirements_id: own ?? requirementsId,
      },
    });
    output.record('job', job, fieldsText(`Updated job ${id}:`, job, ['', 0]));
  },
});
