import { existsSync, readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import { createWorkflow } from '../../client/create-workflow.ts';
import type { Plan } from '../../core/workflow-file/plan/plan.ts';
import { planOfSpec, readSpec, type ReadOptions, type SpecReading } from '../../core/workflow-file/read/read.ts';
import { diskHere } from '../../cluster/disk-here.ts';
import { readUserText } from './read-user-text.ts';
import type { Source } from '../../core/workflow-file/text/read-text.ts';

interface ReadingOptions {
  /** Warnings become errors. */
  readonly strict?: boolean;
  /** The largest number of jobs; undefined for the default. */
  readonly maxJobs: number | undefined;
  /** Called now and then with the names that were compared with the patterns of the file, and the number of all names. */
  readonly reportCompared?: (names: number, of: number) => void;
}

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

const limitsOf = ({ strict = false, maxJobs, reportCompared }: ReadingOptions) => ({
  strict,
  ...(maxJobs === undefined ? {} : { maxJobs }),
  ...(reportCompared === undefined ? {} : { reportCompared }),
});

/** Tables and lists of parameters that a workflow file names are read from this machine. */
const optionsHere = (options: ReadingOptions): ReadOptions => ({
  ...limitsOf(options),
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
    ...limitsOf(options),
    readFile() {
      throw new Error('this server reads no files of its callers: write the values into the specification');
    },
  });

/** The same for a workflow that a program has made, as an object; problems contain `name`. */
export const planHere = (spec: unknown, name: string, options: ReadingOptions): SpecReading =>
  planOfSpec(spec, name, { ...optionsHere(options), isGenerated: true });

interface CreateOptions {
  /** The owner of the workflow. */
  readonly user: string;
  /** Monitors jobs in summary mode if the plan does not configure monitoring. */
  readonly monitorsJobs: boolean;
  /** The absolute path of the workflow file; undefined if there is none. */
  readonly specFile?: string | undefined;
  /** Called with the number of jobs created so far. */
  readonly report: (jobs: number) => void;
}

/** Creates the workflow of a plan, submitted from the working directory, and returns its id. */
export const createFromPlan = (
  client: Client,
  plan: Plan,
  { user, monitorsJobs, specFile, report }: CreateOptions,
): Promise<number> =>
  createWorkflow(client, plan, {
    user,
    submissionDirectory: resolve('.'),
    monitorsJobs,
    specFile,
    onProgress: report,
    async mtimeOf(path) {
      const stats = await stat(path).catch(() => undefined);
      return stats === undefined ? undefined : stats.mtimeMs / 1000;
    },
  });
