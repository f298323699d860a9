import { openWorkflow, workflowId } from '../../choose/choose-workflow.ts';
import { type Command, command } from '../../command/command.ts';
import { UsageError } from '../../command/failure.ts';

const isComplete = command('workflows is-complete [workflow]', {
  says: 'Show whether every job has ended or the workflow was canceled.',
  async run(context, [given]) {
    const { id, client } = await openWorkflow(context, given);
    const { is_complete: complete, is_canceled: canceled } = await client.isComplete({ params: { id } });
    context.output.record(
      'is-complete',
      { is_canceled: canceled, is_complete: complete },
      [`Workflow ${id}:`, `  Is complete: ${complete}`, `  Is canceled: ${canceled}`].join('\n'),
    );
  },
});

const archive = command('workflows archive <is-archived> <workflow...>', {
  says: 'Archive workflows (true), or unarchive them (false); lists leave out archived workflows.',
  async run({ service, output, exitWith }, [option, given]) {
    output.recordOnly('archive');
    if (option !== 'true' && option !== 'false')
      throw new UsageError(`workflows archive: expected true or false before the ids, found "${String(option)}"`);
    const ids = given.map(workflowId);
    const { client } = await service();
    const isArchived = option === 'true';
    const updated: number[] = [];
    const errors: string[] = [];
    for (const id of ids) {
      try {
        await client.archiveWorkflow({ params: { id }, body: { is_archived: isArchived } });
        updated.push(id);
      } catch (error) {
        errors.push(`workflow ${id}: ${(error as Error).message}`);
      }
    }
    for (const error of errors) output.error(error);
    const words = isArchived ? 'Archived' : 'Unarchived';
    if (updated.length > 0 || output.format === 'json') {
      output.record(
        'archive',
        {
          status: errors.length === 0 ? 'success' : updated.length === 0 ? 'error' : 'partial_success',
          is_archived: isArchived,
          updated_workflows: updated,
          ...(errors.length === 0 ? {} : { errors }),
        },
        updated.map((id) => `${words} workflow ${id}`).join('\n'),
      );
    }
    if (errors.length > 0) exitWith(1);
  },
});

export const workflowState: readonly Command[] = [isComplete, archive];
