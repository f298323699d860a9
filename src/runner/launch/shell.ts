import { spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { after, type Timer } from '../../client/long-timers.ts';
import { killGroup } from '../../cluster/exec.ts';
import { asUser, modeOfFiles } from '../../cluster/umask.ts';
import { bashOn } from '../../cluster/program-on.ts';

/** A script that the runner itself runs in bash: not a job, and never many. */
interface ShellRequest {
  readonly script: string;
  readonly cwd: string;
  /** In addition to the runner's own environment. */
  readonly variables: readonly (readonly [name: string, value: string])[];
  /** File to which both streams are appended. */
  readonly output: string;
}

/** Undefined if it succeeded, otherwise the error: `exit code 3`. */
type ShellEnd = string | undefined;

/**
 * Runs scripts of the workflow: recovery scripts between two attempts, and actions.
 *
 * They end with the runner; once the runner gets its signal to stop, each has the lead time of a job. They use the runtime's
 * own spawn, because they are few and need a working directory.
 */
export interface Shells {
  run(request: ShellRequest): Promise<ShellEnd>;
  /** Resolves after this time, or as soon as no time is left for scripts. */
  pause(ms: number): Promise<void>;
  /** No time is left for scripts. */
  readonly isOver: boolean;
  /** From now on running and later scripts have at most this time; 0 kills them. */
  limit(ms: number): void;
}

export function createShells(endAtMs: () => number | undefined, now: () => number): Shells {
  const running = new Set<(ms: number) => void>();
  let limitMs = Infinity;
  const leftMs = () => Math.min(limitMs, (endAtMs() ?? Infinity) - now());

  const run = async ({ script, cwd, variables, output }: ShellRequest): Promise<ShellEnd> => {
    if (leftMs() <= 0) return 'not run: the runner ends now';
    let file: FileHandle;
    try {
      file = await open(output, 'a', modeOfFiles());
    } catch (error) {
      return `its output could not be written: ${(error as Error).message}`;
    }
    try {
      return await ended(script, cwd, variables, file.fd);
    } finally {
      await file.close();
    }
  };

  const ended = (script: string, cwd: string, variables: ShellRequest['variables'], fd: number) =>
    new Promise<ShellEnd>((resolve) => {
      const child = asUser(() =>
        spawn(bashOn(process.env['PATH']) ?? 'bash', ['-c', script], {
          argv0: 'bash',
          cwd,
          detached: true,
          stdio: ['ignore', fd, fd],
          env: { ...process.env, ...Object.fromEntries(variables) },
        }),
      );
      let isLate = false;
      let timer: Timer | undefined;
      const endIn = (ms: number) => {
        timer?.cancel();
        if (ms === Infinity) return;
        timer = after(ms, () => {
          isLate = true;
          killGroup(child.pid);
        });
      };
      const over = (end: ShellEnd) => {
        timer?.cancel();
        running.delete(endIn);
        resolve(end);
      };
      running.add(endIn);
      endIn(leftMs());
      child.once('error', (error) => over(`could not be started: ${error.message}`));
      child.once('exit', (code, signal) => {
        if (isLate) over('killed: the runner ends');
        else if (signal !== null) over(`ended by ${signal}`);
        else over(code === 0 ? undefined : `exit code ${code}`);
      });
    });

  /** A runner that ends waits for nothing: what was to follow is left to the next one. */
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const atMost = limitMs === Infinity ? Math.min(ms, leftMs()) : 0;
      if (atMost <= 0) return resolve();
      const over = () => {
        timer.cancel();
        running.delete(over);
        resolve();
      };
      const timer = after(atMost, over);
      running.add(over);
    });

  return {
    run,
    pause,
    get isOver() {
      return leftMs() <= 0;
    },
    limit(ms) {
      limitMs = ms;
      for (const endIn of running) endIn(leftMs());
    },
  };
}
