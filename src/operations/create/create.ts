import { existsSync, readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import { createWorkflow, type CreateWorkflowOptions } from '../../client/create-workflow.ts';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';
import { planOfSpec, readSpec, type ReadOptions, type SpecReading } from '../../core/workflow-file/read/read.ts';
import { diskHere } from '../../cluster/disk-here.ts';
import { readUserText } from './read-user-text.ts';
import type { Source } from '../../core/workflow-file/text/read-text.ts';

type ReadingOptions = Pick<ReadOptions, 'strict' | 'maxJobs' | 'reportCompared'>;

function readHere(path: string): string {
  try {
    return readUserText(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    const where = isAbsolute(path) ? '' : ` below the current folder, ${process.cwd()}`;
    throw new Error(`there is no such file${where}`, { cause });
  }
}

function listHere(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new Error(`there is no folder ${path} below the current one, ${process.cwd()}`, { cause });
  }
}

/** Tables and lists of parameters that a workflow file names are read from this machine. */
const optionsHere = (options: ReadingOptions): ReadOptions => ({
  ...options,
  readFile: readHere,
  fileExists: existsSync,
  listFolder: listHere,
  disk: diskHere(),
});

/** Reads the text of a workflow file and the files that it names: a plan, or all problems. */
export const readSpecHere = (source: Source, options: ReadingOptions): SpecReading =>
  readSpec(source, optionsHere(options));

/** The same for the text of a caller on another machine: no file is read, looked for or listed here. */
export const readSpecFromAfar = (source: Source, options: ReadingOptions): SpecReading =>
  readSpec(source, {
    ...options,
    readFile() {
      throw new Error('this server reads no files of its callers: write the values into the specification');
    },
  });

/** The same for a workflow that a program has made, as an object; problems contain `name`. */
export const planHere = (spec: unknown, name: string, options: ReadingOptions): SpecReading =>
  planOfSpec(spec, name, { ...optionsHere(options), isGenerated: true });

/** Creates the workflow of a plan, submitted from the working directory of this machine, and returns its id. */
export const createFromPlan = (
  client: Client,
  plan: Plan,
  options: Omit<CreateWorkflowOptions, 'submissionDirectory' | 'mtimeOf'>,
): Promise<number> =>
  createWorkflow(client, plan, {
    ...options,
    submissionDirectory: resolve('.'),
    async mtimeOf(path) {
      const stats = await stat(path).catch(() => undefined);
      return stats === undefined ? undefined : stats.mtimeMs / 1000;
    },
  });
