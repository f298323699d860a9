import type { Job } from '../core/contract/job.ts';
import type { JobExplanation } from '../core/contract/view.ts';
import { isOneOf, WAITS } from '../core/job/statuses.ts';
import { grouped } from '../core/quantity/count-text.ts';
import { connection } from './connection.ts';
import { type Live, useLive } from './hooks.ts';
import { CopiedCommand, PageSection, Shown } from './parts.tsx';
import { partsOfStep, shortenedText } from './words.ts';

const { client } = connection;

/** Why a job waits, or why it ended as it did, and its attempts. */
export const useExplanation = ({ id, status, attempt_id: attempt }: Job): Live<JobExplanation> =>
  useLive(
    `why ${id} ${status} ${attempt}`,
    () => client.getJobExplanation({ params: { id } }),
    isOneOf(WAITS, status) ? 5_000 : 10_000,
  );

/** Why a job waits, or why it ended as it did, with links to the jobs that the reasons name. */
export function ExplanationSection({ live }: { readonly live: Live<JobExplanation> }) {
  return (
    <PageSection title="Why">
      <Shown live={live} what="the explanation">
        {(found) => <Found of={found} />}
      </Shown>
    </PageSection>
  );
}

function Found({ of }: { readonly of: JobExplanation }) {
  const { job_id: id, headline, reasons, reasons_left_out: leftOut, next, unknown } = of;
  return (
    <>
      <p class="text">It {shortenedText(headline, 1_000)}.</p>
      {reasons.length > 0 && (
        <ul class="why">
          {reasons.map(({ message, job_id: other }, at) => (
            <li key={at}>
              {other ? <a href={`#/jobs/${other}`}>{shortenedText(message, 500)}</a> : shortenedText(message, 1_000)}
            </li>
          ))}
        </ul>
      )}
      {leftOut > 0 && <p class="note">and {grouped(leftOut)} more</p>}
      {next.map((step) => (
        <Step key={step} step={step} />
      ))}
      {unknown && (
        <>
          <p class="next">The server does not know {unknown}. On the cluster, this command says it:</p>
          <CopiedCommand text={`torc jobs explain ${id}`} />
        </>
      )}
    </>
  );
}

/** What to do next: a command to copy, or a sentence. */
function Step({ step }: { readonly step: string }) {
  const { words, command } = partsOfStep(step);
  return (
    <>
      {words !== '' && (
        <p class="next">
          {shortenedText(words, 1_000)}
          {command === undefined ? '.' : ':'}
        </p>
      )}
      {command !== undefined && <CopiedCommand text={command} />}
    </>
  );
}
