import { existsSync, statSync } from 'node:fs';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import type { Values } from './option.ts';

/** A file, by its name or because it exists; anything else must be an id. */
export function isSpec(given: string): boolean {
  return given === '-' || /\.(ya?ml|json5?|kdl)$/i.test(given) || (existsSync(given) && statSync(given).isFile());
}

export function existingId(given: string): number {
  const id = Number(given);
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw new Failure(`'${given}' is neither a valid workflow spec file nor a workflow ID`);
}

/** Creates the workflow of a file; its line as JSON is left out where a later line names the workflow. */
export async function createFromFile(
  context: Context,
  path: string,
  options: Values,
  { saysJson = true } = {},
): Promise<number> {
  const { output } = context;
  const { readSpecFile, acceptedPlan, createTold } = await import('./read-spec.ts');
  const reading = readSpecFile(path, context.settings, { strict: options['strict'] === true });
  const plan = await acceptedPlan(context, reading, { skipChecks: options['skipChecks'] === true });
  const id = await createTold(context, plan, { monitorsJobs: true });
  output.notice(`Created workflow ${id}`);
  if (saysJson) output.jsonLine({ message: `Created workflow ${id}`, workflow_id: id });
  return id;
}
