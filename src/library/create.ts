import { resolve } from 'node:path';
import type { Client } from '../client/client.ts';
import { isAcceptable } from '../core/workflow-file/read/read.ts';
import { createFromPlan, planHere, readSpecHere } from '../operations/create/create.ts';
import { readUserText } from '../operations/create/read-user-text.ts';
import { InvalidWorkflow } from './invalid-workflow.ts';

export interface CreateOptions {
  /** The owner of the workflow; by default the user of the client. */
  readonly user?: string | undefined;
  /** Warnings about ignored keys and unknown names become errors. */
  readonly strict?: boolean | undefined;
}

/** Creates a workflow from the path of a file, or from an object with the keys of a workflow file. Returns its id. */
export async function createFrom(
  client: Client,
  workflow: string | object,
  { user, strict = false }: { readonly user: string; readonly strict?: boolean | undefined },
): Promise<number> {
  const options = { strict, maxJobs: undefined };
  const reading =
    typeof workflow === 'string'
      ? readSpecHere({ text: readUserText(resolve(workflow)), name: workflow }, options)
      : planHere(workflow, 'workflow', options);
  if (reading.plan === undefined || !isAcceptable(reading))
    throw new InvalidWorkflow(reading.problems.filter(({ severity }) => severity === 'error'));
  return createFromPlan(client, reading.plan, { user, monitorsJobs: true });
}
