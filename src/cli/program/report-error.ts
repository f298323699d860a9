import { CommanderError } from 'commander';
import { type MissingRecord, ServiceError, Unreachable } from '../../client/errors.ts';
import { HelperFailed } from '../../cluster/helper-failed.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Context } from '../command/context.ts';
import { Failure, UsageError } from '../command/failure.ts';
import { fileErrorText } from '../terminal/file-error.ts';
import { torcGroups } from './torc.ts';
import { CsvRefused, type Output } from '../output/output.ts';

const USAGE = 2;
/** sysexits.h, EX_CONFIG. */
const NOT_CONFIGURED = 78;

/** What a person does where the remedy of the catalogue is for a program that sends requests. */
const forPeople: Readonly<Record<string, string>> = {
  ROUTE_UNKNOWN: `The URL of a service ends with ${BASE_PATH}: compare --url (TORC_API_URL); or the server is older than this torc.`,
};

export function reportError(error: unknown, output: Output, hint: Context['hint']): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (error instanceof UsageError) {
    output.error(error.message);
    return USAGE;
  }
  if (error instanceof Failure) {
    output.error(error.message);
    return error.exitCode;
  }
  if (error instanceof CsvRefused) {
    output.error(error.message);
    return 1;
  }
  if (error instanceof Refusal || error instanceof ServiceError) {
    const list =
      error instanceof ServiceError && error.missing !== undefined ? listOfMissing(error.missing) : undefined;
    const remedy = list === undefined ? (forPeople[error.code ?? ''] ?? error.remedy) : `These are there: ${list}`;
    // Other messages may name commands that run somewhere else.
    output.error(error.code === 'RECOVERY_REFUSED' ? hint(error.message) : error.message);
    if (remedy !== undefined) output.detail(hint(remedy));
    return error.code === 'CONFIG_NOT_TRUSTED' ? NOT_CONFIGURED : 1;
  }
  if (error instanceof Unreachable) {
    output.error(error.message);
    output.detail(
      error.remedy ??
        'Is the server running, and is the URL right? Start one with `torc-server run`, or add -s to start one for this command alone.',
    );
    return 1;
  }
  // A program of the batch system that is away or set up wrongly: its own words say what.
  if (error instanceof HelperFailed) {
    output.error(error.message);
    return 1;
  }
  if (error instanceof Error && (error as NodeJS.ErrnoException).syscall === 'uv_cwd') {
    output.error('the current folder is gone: it was removed, or another one took its place; cd to one that exists');
    return 1;
  }
  const ofFile = fileErrorText(error);
  if (ofFile !== undefined) {
    output.error(ofFile);
    return 1;
  }
  output.error(`a bug in torc: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return 1;
}

/** Records whose commands have another first word than their name. */
const otherWords: Readonly<Record<string, string>> = { group: 'access-groups', slurm_scheduler: 'slurm' };
/** Of all of these, a list is of one workflow. */
const WITHOUT_WORKFLOW: ReadonlySet<string> = new Set(['workflows', 'access-groups']);

/** The command that lists records of the kind that was not found; undefined for a kind without such a command. */
export function listOfMissing({ kind }: MissingRecord): string | undefined {
  const dashed = kind.replaceAll('_', '-');
  const words = [otherWords[kind], `${dashed}s`, dashed];
  const word = words.find((each) => torcGroups.some((group) => group.word === each));
  return word === undefined ? undefined : `torc ${word} list${WITHOUT_WORKFLOW.has(word) ? '' : ' WORKFLOW'}`;
}
