import type { WorkflowStatus } from '../core/contract/workflow.ts';
import { connection } from './connection.ts';
import { type ReadingPace, useLive } from './hooks.ts';
import { CopiedCommand, jobsWords, PageSection } from './parts.tsx';
import { usePlace } from './place.ts';
import { reasonsToWait } from './words.ts';

const { client } = connection;

interface WhatWaitsProps {
  readonly status: WorkflowStatus;
  readonly pace: ReadingPace;
  /** Read again when the counts have moved. */
  readonly moved: string;
}

/** Why jobs wait, and what a person can do. */
export function WhatWaits({ status, pace, moved }: WhatWaitsProps) {
  const { workflow_id: id, jobs_by_status: counts } = status;
  const place = usePlace(id);
  const isAsked = counts.ready > 0 && status.active_compute_nodes > 0;
  const { value: unclaimable } = useLive(
    `unclaimable ${id} ${isAsked}`,
    async () => (isAsked ? (await client.getUnclaimableJobs({ params: { id }, query: {} })).reasons : []),
    pace,
    moved,
  );
  if (status.is_canceled) return null;
  const reasons = reasonsToWait(status, place, unclaimable);
  if (reasons.length === 0) return null;
  return (
    <PageSection title="What waits, and why">
      <ul class="reasons">
        {reasons.map(({ jobs, words, command }) => (
          <li key={words}>
            <span>
              {command !== undefined && <span class="dot is-yours" aria-hidden="true" />} <b>{jobsWords(jobs)}</b>{' '}
              {words}
              {command === undefined ? '.' : ':'}
            </span>
            {command !== undefined && <CopiedCommand text={command} />}
          </li>
        ))}
      </ul>
    </PageSection>
  );
}
