import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createChildLauncher } from '../../src/runner/launch/child.ts';
import type { ProcessEnd, Launcher, LaunchRequest } from '../../src/runner/launch/launcher.ts';
import { createPosixLauncher } from '../../src/runner/launch/posix.ts';
import { temporaryFolder } from './programs.ts';

/** Launchers, and jobs of one line that are run by them to their end. */

const creators = { child_process: createChildLauncher, posix_spawn: createPosixLauncher };

/** Why tests of `posix_spawn` are passed over; undefined where it works. */
export const noPosix: string | undefined = (() => {
  const launcher = createPosixLauncher({ bash: '/bin/bash', environment: {}, onEnd: () => {} });
  launcher?.close();
  return launcher === undefined
    ? 'posix_spawn cannot be called here: no Linux, or a runtime without node:ffi'
    : undefined;
})();

interface Ended extends ProcessEnd {
  readonly stdout: string;
  readonly stderr: string;
}

/** A launcher with the promise of each job's end. */
export interface Jobs {
  readonly launcher: Launcher;
  /** All that was reported, in order. */
  readonly reported: readonly ProcessEnd[];
  launch(request: Partial<LaunchRequest>): { readonly pid: number; readonly ended: Promise<ProcessEnd> };
  /** Runs a line to its end, with files of its own for its output. */
  run(script: string, variables?: LaunchRequest['variables']): Promise<Ended>;
}

export function jobsOf(name: Launcher['name'], environment: Readonly<Record<string, string | undefined>>): Jobs {
  const reported: ProcessEnd[] = [];
  const waiting = new Map<number, (ending: ProcessEnd) => void>();
  const onEnd = (endings: readonly ProcessEnd[]) => {
    reported.push(...endings);
    for (const ending of endings) waiting.get(ending.pid)?.(ending);
  };
  const launcher = creators[name]({ bash: '/bin/bash', environment, onEnd });
  if (launcher === undefined) throw new Error(noPosix);
  const launch: Jobs['launch'] = (request) => {
    const pid = launcher.launch({ script: ':', variables: [], stdout: undefined, stderr: undefined, ...request });
    return { pid, ended: new Promise((resolve) => void waiting.set(pid, resolve)) };
  };
  return {
    launcher,
    reported,
    launch,
    async run(script, variables = []) {
      const folder = temporaryFolder();
      const [stdout, stderr] = [join(folder, 'o'), join(folder, 'e')];
      const ending = await launch({ script, variables, stdout, stderr }).ended;
      return { ...ending, stdout: readFileSync(stdout, 'utf8'), stderr: readFileSync(stderr, 'utf8') };
    },
  };
}

/** One job of one launcher, as a program of its own. Arguments: the launcher's module and maker, its options, the job. */
const program = `
const [module, maker, options, script, stdout] = process.argv.slice(1);
const { [maker]: create } = await import(module);
const { readFileSync } = await import('node:fs');
const staying = setInterval(() => {}, 1e6);
const onEnd = () => {
  clearInterval(staying);
  process.stdout.write(readFileSync(stdout));
};
const environment = { PATH: process.env.PATH };
const launcher = create({ bash: '/bin/bash', environment, onEnd, ...JSON.parse(options) });
launcher.launch({ script, variables: [], stdout, stderr: undefined });
`;
const makers = {
  child_process: ['../../src/runner/launch/child.ts', createChildLauncher.name],
  posix_spawn: ['../../src/runner/launch/posix.ts', createPosixLauncher.name],
} as const;

/** What a line prints that is launched by a runner which a shell prepared: with open files, or limits. */
export async function printedInRunner(
  prepare: string,
  name: Launcher['name'],
  script: string,
  options: { readonly openFilesLimit?: number } = {},
): Promise<string> {
  const [path, maker] = makers[name];
  const module = new URL(path, import.meta.url).href;
  const stdout = join(temporaryFolder(), 'o');
  const args = ['--input-type=module', '-e', program, module, maker, JSON.stringify(options), script, stdout];
  const ended = await promisify(execFile)('/bin/bash', ['-c', `${prepare}; exec "$0" "$@"`, process.execPath, ...args]);
  return ended.stdout;
}
