import { announceActions, checkActions } from '../check/actions.ts';
import { checkCommandLength } from '../check/command-length.ts';
import { checkBindings } from '../check/bindings.ts';
import { checkFailureHandlers } from '../check/handlers.ts';
import { checkEmptyTexts } from '../check/empty-texts.ts';
import { checkEnvironment } from '../check/environment.ts';
import { checkExecution } from '../check/execution.ts';
import { fatesOf } from '../check/fates.ts';
import { checkFileFlow } from '../check/file-flow.ts';
import { checkIdentifiers } from '../check/identifiers.ts';
import { checkLabels } from '../check/labels.ts';
import { checkLeftOver } from '../check/left-over.ts';
import { checkNames } from '../check/names.ts';
import { checkOwnTokens } from '../check/own-tokens.ts';
import { checkLimits } from '../check/limits.ts';
import { checkRewritten } from '../check/rewritten.ts';
import { checkRequirements } from '../check/requirements.ts';
import { checkResourceValues } from '../check/resources.ts';
import { checkSchedulerNodes } from '../check/scheduler-nodes.ts';
import { checkSurroundings } from '../check/surroundings.ts';
import { checkShifts } from '../check/shifts.ts';
import { checkUnquotedPaths } from '../check/unquoted-paths.ts';
import { checkSettings } from '../check/settings.ts';
import { checkTimeouts } from '../check/timeouts.ts';
import type { Complaints } from './complaints.ts';
import type { Draft, DraftRecords } from '../link/draft.ts';
import { Expander, type Collection } from '../expand/expand.ts';
import type { SpecFamilies } from '../expand/family.ts';
import { Tables } from '../expand/tables.ts';
import { withFilesOfJobs } from '../link/files-of-jobs.ts';
import { linkDraft } from '../link/link.ts';
import { Lost } from '../link/lost.ts';
import { NameIndex } from '../pattern/name-index.ts';
import { type Disk, pathKey } from '../link/path-key.ts';
import { Selections, type ReportCompared } from '../pattern/selection.ts';
import { makePlan } from '../plan/make.ts';
import type { Plan } from '../plan/plan.ts';
import { withPbsSchedulers } from './pbs-schedulers.ts';
import { readWorkflow } from './read-workflow.ts';
import type { Value } from '../text/value.ts';

export interface PlanOptions {
  /** Reads a parameter table or a list of values; throws if it cannot. */
  readonly readFile: (path: string) => string;
  /** Looks whether a file is there; without it there is no warning about missing inputs. */
  readonly fileExists?: (path: string) => boolean;
  /** The names in a folder, for patterns of paths; throws if it cannot be read. Without it there are no such patterns. */
  readonly listFolder?: (path: string) => readonly string[];
  /** What is known of paths; without it `..` and absolute paths are compared as they are written. */
  readonly disk?: Disk;
  /** The workflow was made by a program, as by `torc exec`: no user wrote it, so there is no advice about its texts. */
  readonly isGenerated?: boolean;
  /** The maximum number of jobs, files and records of user data, each. */
  readonly maxJobs?: number | undefined;
  /** The maximum number of dependencies between jobs. */
  readonly maxEdges?: number;
  /** Comparing patterns with names may take a minute. */
  readonly reportCompared?: ReportCompared;
}

// Too small, and a valid sweep is refused; too big, and a typing error (1:10000000000) fills memory and server. A sweep
// of a million is a real campaign; ten times that is never intended.
const MAX_JOBS = 10_000_000;

// Each is a row of the server's database. A barrier job turns N × M of them into N + M.
const MAX_EDGES = 100_000_000;

/**
 * The plan of a workflow given as a value; undefined if it is not a workflow.
 *
 * Every check runs, regardless of the results of the others, and skips parts that could not be read.
 */
export function planDraft(value: Value, options: PlanOptions, complaints: Complaints): Plan | undefined {
  const { readFile, maxJobs = MAX_JOBS, maxEdges = MAX_EDGES } = options;
  const tables = new Tables(readFile, complaints.add);
  const { fileExists, listFolder } = options;
  const look = listFolder === undefined || fileExists === undefined ? undefined : { listFolder, fileExists };
  const { spec: written, damaged, globs, groups, isWhole } = readWorkflow(value, { tables, look }, complaints.add);
  const spec = withPbsSchedulers(written);

  const expander = new Expander(spec, { readFile, tables, groups, limit: maxJobs }, complaints.add);
  const records = <S extends object>(field: Collection, families: SpecFamilies<S>): DraftRecords<S> =>
    recordsOf(families, new Lost(damaged.has(field), expander.lost.get(field) ?? []));
  const keyOf = pathKey(options.disk);
  const jobs = expander.families('jobs', spec.jobs);
  const entries = expander.families('files', spec.files ?? []);
  const { files, complain } = withFilesOfJobs({ jobs, entries, keyOf, limit: maxJobs }, complaints.add);
  const draft: Draft = {
    spec,
    damaged,
    jobs: records('jobs', jobs),
    files: records('files', files),
    userData: records('user_data', expander.families('user_data', spec.user_data ?? [])),
  };
  const env = expander.environment();

  checkNames(draft, complain);
  checkEnvironment(draft, complain);
  checkLabels(draft, complain);
  checkSurroundings(draft, complain);
  checkSettings(draft, complain);
  checkOwnTokens(draft, complain);
  checkShifts(draft, complain);
  announceActions(draft);
  const linked = linkDraft(draft, { maxEdges, keyOf, reportCompared: options.reportCompared }, complain);
  const { links } = linked;
  const actionJobs = checkActions(draft, complain);
  checkBindings(draft, complain);
  checkCommandLength(draft, complain);
  checkFailureHandlers(draft, complain);
  checkIdentifiers(draft, links, complain);
  checkSchedulerNodes(draft, complain);
  checkRequirements(draft, complain);
  checkTimeouts(draft, complain);
  checkLimits(draft, complain);
  checkExecution(draft, complain);
  checkResourceValues(draft, complain);
  const fateOf = fatesOf(draft, linked, complain);
  checkFileFlow(draft, linked, isWhole ? fileExists : undefined, complain);
  if (options.isGenerated !== true) {
    checkLeftOver(draft, complain);
    checkUnquotedPaths(draft, linked.paths, complain);
    checkRewritten(draft, complain);
    // A text that was refused is empty here.
    if (!complaints.hasReadErrors) checkEmptyTexts(draft, complain);
  }
  return complaints.hasReadErrors ? undefined : makePlan({ draft, linked, keyOf, env, fateOf, globs, actionJobs });
}

function recordsOf<S>(families: SpecFamilies<S>, lost: Lost): DraftRecords<S> {
  const nameAt = (index: number): string => families.nameAt(index);
  const names = { length: families.length, nameAt, index: new NameIndex(families.length, nameAt) };
  return { ...names, families, lost, selections: new Selections(names) };
}
