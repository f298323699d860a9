import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dryRunReport } from '../../core/workflow-file/read/dry-run.ts';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';
import { isAcceptable, type SpecReading } from '../../core/workflow-file/read/read.ts';
import { readSpecFromAfar, readSpecHere } from '../../operations/create/create.ts';
import { type Backend, CommandFailed } from '../tool.ts';
import { privateFolder } from '../../cluster/private-folder.ts';

type Reader = Pick<Backend, 'maxJobs' | 'outputDir'>;

/** Reads a specification that was given as JSON. */
export const readGivenSpec = (text: string, { maxJobs, outputDir }: Reader): SpecReading =>
  (outputDir === undefined ? readSpecFromAfar : readSpecHere)({ text, name: 'spec_json', format: 'json' }, { maxJobs });

/** Its plan. Throws all problems at once, each with its place. */
export function planFrom(text: string, backend: Reader): Plan {
  const reading = readGivenSpec(text, backend);
  if (isAcceptable(reading) && reading.plan !== undefined) return reading.plan;
  const { errors, warnings, problems } = dryRunReport(reading);
  throw new CommandFailed('the specification has problems; nothing was created', { errors, warnings, problems });
}

/** Gives a command the specification as a file, in a folder of its own. */
export async function withFile<T>(text: string, use: (path: string) => Promise<T>): Promise<T> {
  const folder = privateFolder('torc-mcp-');
  try {
    const path = join(folder, 'spec.json');
    writeFileSync(path, text);
    return await use(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
