import type { Client } from '../../client/client.ts';
import { printableLine } from '../../core/text/printable.ts';
import { counted } from '../../core/quantity/count-text.ts';
import type { Output } from '../output/output.ts';

/** Jobs that are named; the others are counted. */
const NAMED = 5;

interface Options {
  readonly client: Pick<Client, 'listResults'>;
  readonly output: Pick<Output, 'detail'>;
  readonly hint: (command: string) => string;
  readonly workflowId: number;
}

/**
 * Names the jobs that were asked to end and ended with 0: they count as completed, and no resume runs them again. Nothing on Torc's own
 * server, which keeps no causes.
 */
export async function sayAsked({ client, output, hint, workflowId }: Options): Promise<void> {
  const query = { workflow_id: workflowId, cause_code: 'asked', limit: NAMED } as const;
  const { items, total_count: total } = await client.listResults({ query });
  const asked = items.filter(({ cause_code: cause, status }) => cause === 'asked' && status === 'completed');
  if (asked.length === 0) return;
  const count = asked.length < items.length ? asked.length : total;
  const more = count > asked.length ? ` and ${count - asked.length} more` : '';
  const names = asked.map((each) => `${printableLine(each.job_name ?? '')} (job ${each.job_id})`).join(', ');
  output.detail(
    `${counted(count, 'job')} ended with 0 after the request to end, and count${count === 1 ? 's' : ''} as completed: ${names}${more}.`,
  );
  const ids = asked.map((each) => each.job_id).join(' ');
  output.detail(`If the work is not complete: ${hint(`torc jobs reset-status ${ids} --reinit`)}`);
}
