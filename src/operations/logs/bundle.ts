import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { runHelper } from '../../cluster/exec.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { logsBelow, workflowIn } from './files.ts';
import { privateFolder } from '../../cluster/private-folder.ts';

export const METADATA = 'bundle_metadata.json';

export interface BundleMetadata {
  readonly workflow_id: number;
  readonly workflow_name: string;
  readonly workflow_user: string;
  readonly workflow_description: string | null;
  readonly collected_at: string;
  readonly files_collected: number;
  readonly total_size_bytes: number;
}

interface BundleOptions {
  readonly workflow: {
    readonly id: number;
    readonly name: string;
    readonly user: string;
    readonly description?: string | null | undefined;
  };
  readonly outputDir: string;
  readonly bundleDir: string;
  readonly nowMs: number;
}

export interface Bundle {
  readonly path: string;
  readonly files: number;
  /** Of the files, not packed. */
  readonly bytes: number;
}

const PACK_MS = 600_000;

/**
 * Packs the logs of a workflow, with what they belong to, into `wf7.tar.gz`. An archive that was there is replaced when the new one
 * is complete: a full disk costs neither.
 *
 * Each file stands below the name of its folder, as in bundles of Torc 1.0.0: `torc_output/job_runner_….log`, `job_stdio/….o`.
 */
export async function bundleLogs({ workflow, outputDir, bundleDir, nowMs }: BundleOptions): Promise<Bundle> {
  if (!existsSync(outputDir))
    throw new Refusal('FILE_UNREADABLE', `Path not found: the output folder ${outputDir} does not exist`);
  const files = logsBelow(outputDir).filter((path) => workflowIn(path) === workflow.id);
  if (files.length === 0)
    throw new Refusal('FILE_UNREADABLE', `No workflow logs of workflow ${workflow.id} in ${outputDir}`);
  const folder = privateFolder('torc-bundle-');
  const path = join(bundleDir, `wf${workflow.id}.tar.gz`);
  const partial = `${resolve(path)}.${process.pid}.part`;
  try {
    const bytes = files.reduce((sum, file) => sum + statSync(join(outputDir, file)).size, 0);
    const metadata: BundleMetadata = {
      workflow_id: workflow.id,
      workflow_name: workflow.name,
      workflow_user: workflow.user,
      workflow_description: workflow.description ?? null,
      collected_at: new Date(nowMs).toISOString(),
      files_collected: files.length,
      total_size_bytes: bytes,
    };
    writeFileSync(join(folder, METADATA), `${JSON.stringify(metadata, undefined, 2)}\n`);
    const output = resolve(outputDir);
    const inFolders = listOf(folder, 'in-folders', files.filter(isInFolder));
    const beside = listOf(
      folder,
      'beside',
      files.filter((file) => !isInFolder(file)).map((file) => join(basename(output), file)),
    );
    const from = ['-C', folder, METADATA, '--null', '-C', dirname(output), '-T', beside, '-C', output, '-T', inFolders];
    await runHelper('tar', ['-czf', partial, ...from], { atMostMs: PACK_MS });
    renameSync(partial, path);
    return { path, files: files.length, bytes };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(partial, { force: true });
  }
}

const isInFolder = (file: string) => file.includes('/');

/** A file from which `tar` reads these names: there may be more than fit on a command line. */
function listOf(folder: string, name: string, files: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, files.map((file) => `${file}\0`).join(''));
  return path;
}
