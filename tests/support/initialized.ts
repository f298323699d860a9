import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Client } from '../../src/client/client.ts';
import { createWorkflow } from '../../src/client/create-workflow.ts';
import { formatProblem } from '../../src/core/workflow-file/problems/problems.ts';
import { isAcceptable } from '../../src/core/workflow-file/read/read.ts';
import { readSpecHere } from '../../src/operations/create/create.ts';
import { initialize } from '../../src/operations/run/initialize.ts';

/**
 * Creates the workflow of a file as `torc create` and `torc workflows init` in its folder do, but within this process: their
 * starts take 0.3 s of CPU time. Returns its id.
 */
export async function initialized({ client }: { readonly client: Client }, ...path: string[]): Promise<number> {
  const file = join(...path);
  const reading = readSpecHere({ text: readFileSync(file, 'utf8'), name: file }, { maxJobs: undefined });
  if (reading.plan === undefined || !isAcceptable(reading))
    throw new Error(reading.problems.map(formatProblem).join('\n'));
  const id = await createWorkflow(client, reading.plan, {
    user: 'tester',
    submissionDirectory: dirname(file),
    monitorsJobs: true,
    specFile: file,
    mtimeOf: () => Promise.resolve(undefined),
  });
  await initialize(client, id, { force: false, report: () => {} });
  return id;
}
