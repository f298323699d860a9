import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, closeSync, constants as files } from 'node:fs';
import { constants } from 'node:os';
import { programOn } from '../../cluster/program-on.ts';
import { type ProcessEnd, LaunchError, type Launcher } from './launcher.ts';
import { openOutput } from './output-file.ts';
import { asUser } from '../../cluster/umask.ts';

export interface ChildOptions {
  readonly bash: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onEnd: (endings: readonly ProcessEnd[]) => void;
}

/**
 * Launches through the runtime's own spawn: slower, and without the CPU time of jobs, but it works everywhere.
 *
 * Never called inside the runtime's `exit` callback: ends are reported from `setImmediate`; otherwise handles of ended
 * processes accumulate, tens of thousands of them.
 *
 * Two limitations: a job that ended by a real-time signal is reported as exited with 0, because the runtime has no name
 * for such signals; and files that the runner inherited with numbers above 15 are open in jobs too.
 */
export function createChildLauncher({ bash, environment, onEnd }: ChildOptions): Launcher {
  let ended: ProcessEnd[] = [];
  let isOpen = true;
  const taskset = programOn(environment['PATH'], 'taskset');
  const report = () => {
    const endings = ended;
    ended = [];
    if (isOpen) onEnd(endings);
  };
  const end = (child: ChildProcess, code: number | null, signal: NodeJS.Signals | null) => {
    ended.push({
      pid: child.pid ?? -1,
      exitCode: code ?? undefined,
      signal: signal === null ? undefined : constants.signals[signal],
      cpuSeconds: undefined,
      peakBytes: undefined,
    });
    if (ended.length === 1) setImmediate(report);
  };

  return {
    name: 'child_process',
    launch({ script, program, without, variables, stdout, stderr, cpus }) {
      const opened: number[] = [];
      const open = (path: string) => {
        const fd = openOutput(path);
        opened.push(fd);
        return fd;
      };
      try {
        const out = stdout === undefined ? 'ignore' : open(stdout);
        const err = stderr === undefined ? 'ignore' : stderr === stdout ? out : open(stderr);
        const isBound = cpus !== undefined && taskset !== undefined;
        const [name = 'bash', ...words] = program?.words ?? ['bash', '-c', script];
        const path = program?.path ?? bash;
        const command = isBound ? [taskset, '-c', cpus.join(','), program?.path ?? name, ...words] : [path, ...words];
        const inherited = Object.entries(environment).filter(([each]) => without?.has(each) !== true);
        const child = asUser(() =>
          spawn(command[0] as string, command.slice(1), {
            ...(isBound ? {} : { argv0: name }),
            detached: true,
            stdio: ['ignore', out, err],
            env: { ...Object.fromEntries(inherited), ...Object.fromEntries(variables) },
          }),
        );
        child.once('error', () => {});
        if (child.pid === undefined) throw notStarted(name, path);
        child.once('exit', (code, signal) => end(child, code, signal));
        return child.pid;
      } catch (error) {
        if (error instanceof LaunchError) throw error;
        const code = (error as NodeJS.ErrnoException).code ?? 'EUNKNOWN';
        throw new LaunchError(code, (error as Error).message);
      } finally {
        for (const fd of opened) closeSync(fd);
      }
    },
    close: () => {
      isOpen = false;
    },
  };
}

/** The runtime reports the reason too late: either the program is missing, or there are too many processes or files. */
function notStarted(name: string, path: string): LaunchError {
  try {
    accessSync(path, files.X_OK);
    return new LaunchError('EAGAIN', `${name} could not be started: too many processes or open files`);
  } catch (cause) {
    const { code = 'ENOENT', message } = cause as NodeJS.ErrnoException;
    return new LaunchError(code, `${name} could not be started: ${message}`);
  }
}
