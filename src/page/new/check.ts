import type { Client } from '../../client/client.ts';
import { createFromAfar } from '../../client/create-workflow.ts';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';
import type { Problem } from '../../core/workflow-file/problems/problems.ts';
import { isAcceptable, readSpec } from '../../core/workflow-file/read/read.ts';
import type { SpecFormat } from '../../core/workflow-file/text/read-text.ts';

/**
 * The reader of workflow files, the same as that of the commands. It is four times as large as the rest of the page, so it is
 * loaded by the view that needs it.
 */
export interface CheckedFile {
  readonly name: string;
  readonly problems: readonly Problem[];
  readonly jobs: number;
  readonly files: number;
  /** Present if the workflow may be created. */
  readonly plan: Plan | undefined;
}

/** A browser that counts more jobs than these stands still for seconds; a command creates them. */
export const MOST_JOBS = 200_000;

/** Reads the text of a workflow file. */
export function check(text: string, format: SpecFormat): CheckedFile {
  const reading = readSpec(
    { text, name: 'workflow file', format },
    {
      maxJobs: MOST_JOBS,
      readFile() {
        throw new Error('a page reads no other files; use torc create');
      },
    },
  );
  const { plan, problems, name } = reading;
  return {
    name,
    problems,
    jobs: plan?.jobs.length ?? 0,
    files: plan?.files.length ?? 0,
    plan: isAcceptable(reading) ? plan : undefined,
  };
}

/** Creates the workflow, makes its first jobs ready, and returns its id. */
export async function createCheckedFile(
  client: Client,
  plan: Plan,
  options: { readonly user: string; readonly onProgress: (jobs: number) => void },
): Promise<number> {
  const id = await createFromAfar(client, plan, options);
  await client.initializeJobs({ params: { id } });
  return id;
}
