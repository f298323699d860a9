import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runHelper } from '../../cluster/exec.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { findInLog } from '../../core/logs/patterns.ts';
import { type BundleMetadata, METADATA } from './bundle.ts';
import { eachLine, filesBelow, isReadable, logsBelow, workflowIn } from './files.ts';
import { privateFolder } from '../../cluster/private-folder.ts';

interface Finding {
  readonly file: string;
  readonly line: number;
  readonly label: string;
  readonly severity: 'error' | 'warning';
  readonly text: string;
  readonly remedy: string;
}

export interface AnalyzedLogs {
  readonly workflowId: number;
  readonly bundle: BundleMetadata | undefined;
  readonly files: number;
  /** At most `MOST_FINDINGS`; the counts include all. */
  readonly findings: readonly Finding[];
  readonly errors: number;
  readonly warnings: number;
}

const LONGEST_TEXT = 120;
const MOST_FINDINGS = 1000;
const UNPACK_MS = 600_000;

/** Looks for failures in the logs of a workflow: an output folder, or a bundle of `logs bundle`, packed or unpacked. */
export async function analyzeLogs(path: string, workflowId: number | undefined): Promise<AnalyzedLogs> {
  if (!existsSync(path)) throw new Refusal('FILE_UNREADABLE', `Path not found: ${path}`);
  if (statSync(path).isDirectory()) return analyzeFolder(path, workflowId);
  const folder = privateFolder('torc-logs-');
  try {
    await runHelper('tar', ['-xzf', path, '-C', folder], { atMostMs: UNPACK_MS }).catch((error: Error) => {
      throw new Refusal('FILE_UNREADABLE', `${path} is no bundle of logs: ${error.message}`, {}, { cause: error });
    });
    return await analyzeFolder(folder, workflowId);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function analyzeFolder(folder: string, given: number | undefined): Promise<AnalyzedLogs> {
  const { bundle, paths } = logsFor(folder);
  const workflowId = given ?? bundle?.workflow_id ?? onlyWorkflow(folder, paths);
  const read = paths.filter((path) => isReadable(path) && workflowIn(path) === workflowId);
  if (read.length === 0)
    throw new Refusal('FILE_UNREADABLE', `No workflow logs of workflow ${workflowId} in ${folder}`);
  const findings: Finding[] = [];
  let [errors, warnings] = [0, 0];
  for (const file of read)
    await eachLine(join(folder, file), (text, line) => {
      const found = findInLog(text);
      if (found === undefined) return;
      if (found.severity === 'error') errors += 1;
      else warnings += 1;
      const { label, severity, remedy } = found;
      if (severity === 'error' && findings.length < MOST_FINDINGS)
        findings.push({ file, line, label, severity, text: cut(text.trim()), remedy });
    });
  return { workflowId, bundle, files: read.length, findings, errors, warnings };
}

/** Folders below the given one: that of the bundle, the output folder from which the files were taken, its `job_stdio`. */
const LEVELS = 3;

/**
 * The logs to read. Those of a bundle may stand in any folder below, as Torc's own do. An output folder with logs of its own
 * is read without other folders: they may belong to another database, with the same ids.
 */
function logsFor(folder: string): { readonly bundle: BundleMetadata | undefined; readonly paths: readonly string[] } {
  const own = logsBelow(folder);
  if (own.length > 0 && !existsSync(join(folder, METADATA))) return { bundle: undefined, paths: own };
  const files = filesBelow(folder, LEVELS);
  const about = files.find((path) => basename(path) === METADATA);
  return {
    bundle: about === undefined ? undefined : (JSON.parse(readFileSync(join(folder, about), 'utf8')) as BundleMetadata),
    paths: files.filter((path) => workflowIn(path) !== undefined).sort(),
  };
}

function onlyWorkflow(folder: string, paths: readonly string[]): number {
  const ids = [...new Set(paths.map((path) => workflowIn(path) as number))].sort((a, b) => a - b);
  const [only, ...others] = ids;
  if (only === undefined) throw new Refusal('FILE_UNREADABLE', `No workflow logs found in ${folder}`);
  if (others.length === 0) return only;
  throw new Refusal(
    'FILE_UNREADABLE',
    `Multiple workflows found in ${folder}: ${ids.join(', ')}. Name one with --workflow-id`,
  );
}

const cut = (text: string) => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 3)}...` : text);
