import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../src/core/contract/result.ts';
import { programFolder } from './packed.ts';
import { type RunningServer, startServer, temporaryFolder } from './programs.ts';

const torcProgram = join(programFolder(), 'torc.mjs');

/** A place for one workflow with jobs that behave badly, and a server for it. */
export interface Place {
  readonly folder: string;
  readonly server: RunningServer;
  /** Runs these jobs with a runner that has these limits of its shell, such as `-n 64`. */
  run(jobs: string, options?: RunOptions): Promise<Ran>;
}

interface RunOptions {
  readonly ulimit?: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** More of the workflow file, above its jobs. */
  readonly more?: string;
}

interface Ran {
  readonly code: number;
  readonly stderr: string;
  /** The runner's log. */
  readonly log: string;
  /** What the service knows of each job by name: status and return code. */
  readonly ends: Readonly<Record<string, readonly [status: string, returnCode: number]>>;
  readonly results: readonly Result[];
}

export async function nastyPlace(): Promise<Place> {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  return {
    folder,
    server,
    async run(jobs, { ulimit = '-c 0', args = [], environment = {}, more = '' } = {}) {
      const path = join(folder, 'flow.yaml');
      writeFileSync(path, `name: nasty\n${more}\njobs:\n${jobs}`);
      const words = ['--url', server.url, 'run', path, '-o', 'out', ...args];
      const { code, stderr } = await limited(ulimit, words, folder, environment);
      const { items } = await server.client.listResults({ query: { workflow_id: 1 } });
      return { code, stderr, log: logIn(join(folder, 'out')), ends: endsOf(items), results: items };
    },
  };
}

/** `torc` under a limit that its shell sets. */
const limited = (ulimit: string, words: readonly string[], cwd: string, environment: object) =>
  new Promise<{ code: number; stderr: string }>((done) => {
    const script = `ulimit ${ulimit} && exec "$0" "$@"`;
    const env = { ...process.env, USER: 'tester', ...environment };
    execFile(
      'bash',
      ['--norc', '-c', script, process.execPath, torcProgram, ...words],
      { cwd, env, maxBuffer: 2 ** 26, timeout: 50_000, killSignal: 'SIGKILL' },
      (error, _stdout, stderr) => done({ code: error === null ? 0 : Number(error.code ?? -1), stderr }),
    );
  });

const endsOf = (results: readonly Result[]): Ran['ends'] =>
  Object.fromEntries(results.map(({ job_name: name, status, return_code: code }) => [name, [status, code]]));

function logIn(folder: string): string {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.log'));
    return names.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
  } catch {
    // A job took the folder away.
    return '';
  }
}

export const OK = ['completed', 0] as const;
