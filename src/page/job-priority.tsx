import { useState } from 'preact/hooks';
import type { Job } from '../core/contract/job.ts';
import { isOneOf, UNCLAIMED } from '../core/job/statuses.ts';
import { Confirm } from './confirm.tsx';
import { connection } from './connection.ts';
import { FormField } from './parts.tsx';
import { statusWords } from './words.ts';

/** Changes the priority of a job that waits. */
export function JobPriority({ job, again }: { readonly job: Job; readonly again: () => void }) {
  const { id, name, command } = job;
  const [priority, setPriority] = useState(String(job.priority ?? 0));
  return (
    <Confirm
      label="Priority …"
      title="Change the priority of this job?"
      says={`It has priority ${job.priority ?? 0}. Of the jobs that are ready, runners take those with a higher priority first; the usual one is 0. A job that runs is not changed by it.`}
      does="Change the priority"
      unlessFor={isOneOf(UNCLAIMED, job.status) ? undefined : `It is ${statusWords(String(job.status))}`}
      act={async () => {
        await connection.client.updateJob({ params: { id }, body: { name, command, priority: Number(priority) } });
        again();
      }}
    >
      <FormField label="Priority" type="number" min="0" step="1" required value={priority} set={setPriority} />
    </Confirm>
  );
}
