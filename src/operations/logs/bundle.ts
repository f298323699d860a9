import { existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runHelper } from '../../cluster/exec.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { logsBelow, workflowIn } from './files.ts';

export const METADATA = 'bundle_metadata.json';

export interface BundleMetadata {
  readonly workflow_id: number;
  readonly workflow_name: string;
  readonly workflow_user: string;
  readonly collected_at: string;
  readonly files: number;
}

interface BundleOptions {
  readonly workflow: { readonly id: number; readonly name: string; readonly user: string };
  readonly outputDir: string;
  readonly bundleDir: string;
  readonly nowMs: number;
}

export interface Bundle {
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
}

const PACK_MS = 600_000;

/**
 * Packs the logs of a workflow, with what they belong to, into `wf7.tar.gz`. An archive that was there is replaced when the new one
 * is complete: a full disk costs neither.
 */
export async function bundleLogs({ workflow, outputDir, bundleDir, nowMs }: BundleOptions): Promise<Bundle> {
  if (!existsSync(outputDir))
    throw new Refusal('FILE_UNREADABLE', `Path not found: the output folder ${outputDir} does not exist`);
  const files = logsBelow(outputDir).filter((path) => workflowIn(path) === workflow.id);
  if (files.length === 0)
    throw new Refusal('FILE_UNREADABLE', `No workflow logs of workflow ${workflow.id} in ${outputDir}`);
  const folder = mkdtempSync(join(tmpdir(), 'torc-bundle-'));
  const path = join(bundleDir, `wf${workflow.id}.tar.gz`);
  const partial = `${resolve(path)}.${process.pid}.part`;
  try {
    const metadata: BundleMetadata = {
      workflow_id: workflow.id,
      workflow_name: workflow.name,
      workflow_user: workflow.user,
      collected_at: new Date(nowMs).toISOString(),
      files: files.length,
    };
    writeFileSync(join(folder, METADATA), `${JSON.stringify(metadata, undefined, 2)}\n`);
    const input = files.map((file) => `${file}\0`).join('');
    const from = ['-C', folder, METADATA, '-C', resolve(outputDir), '--null', '-T', '-'];
    await runHelper('tar', ['-czf', partial, ...from], { atMostMs: PACK_MS, input });
    renameSync(partial, path);
    return { path, files: files.length, bytes: statSync(path).size };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(partial, { force: true });
  }
}
