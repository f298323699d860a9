import { dryRunReport } from '../../core/workflow-file/dry-run.ts';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';
import { isAcceptable, type SpecReading } from '../../core/workflow-file/read.ts';
import { readSpecHere } from '../../operations/create.ts';
import { type Backend, CommandFailed } from '../tool.ts';

/** Reads a specification that was given as JSON. */
const readSpec = (text: string, { maxJobs }: Pick<Backend, 'maxJobs'>): SpecReading =>
  readSpecHere({ text, name: 'spec_json', format: 'json' }, { maxJobs });

/** Its plan. Throws all problems at once, each with its place. */
export function planFrom(text: string, backend: Pick<Backend, 'maxJobs'>): Plan {
  const reading = readSpec(text, backend);
  if (isAcceptable(reading) && reading.plan !== undefined) return reading.plan;
  const { errors, warnings, problems } = dryRunReport(reading);
  throw new CommandFailed('the specification has problems; nothing was created', { errors, warnings, problems });
}
