import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { programFolder } from './packed.ts';
import { until } from './programs.ts';

/** Programs on a real terminal, by tmux. */

export const hasTmux = ['/usr/bin/tmux', '/usr/local/bin/tmux'].some(existsSync);

const bin = programFolder();

export interface Screen {
  /** Presses keys, by the names of tmux: `Enter`, `C-c`, `a`. */
  press(...keys: string[]): Promise<void>;
  /** Waits until the screen holds this text, and returns its lines without blanks at their ends. */
  shows(text: string | RegExp): Promise<string[]>;
  lines(): Promise<string[]>;
  resize(width: number, height: number): Promise<void>;
  /** The id of the first process of the terminal. */
  pid(): Promise<number>;
}

/** A shell on a terminal of this size, in which `torc` is the program as it was built. It ends with the test. */
export async function openScreen(
  cwd: string,
  { width, height, locale = 'C.UTF-8' }: { width: number; height: number; locale?: string },
): Promise<Screen> {
  const socket = join(cwd, 'tmux');
  const tmux = async (...args: string[]) =>
    (
      await promisify(execFile)('tmux', ['-u', '-f', '/dev/null', '-S', socket, ...args], {
        cwd,
        env: { PATH: `${bin}:${process.env['PATH']}`, HOME: cwd, USER: 'tester', LC_ALL: locale, PS1: '$ ' },
      })
    ).stdout;
  await tmux('new-session', '-d', '-x', String(width), '-y', String(height), 'sh');
  onTestFinished(async () => void (await tmux('kill-server').catch(() => '')));
  const lines = async () => (await tmux('capture-pane', '-p')).trimEnd().split('\n');
  return {
    lines,
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    shows: (text) =>
      until(
        lines,
        (seen) => (typeof text === 'string' ? seen.join('\n').includes(text) : text.test(seen.join('\n'))),
        `${String(text)} on the screen`,
      ),
    resize: async (x, y) => void (await tmux('resize-window', '-x', String(x), '-y', String(y))),
    pid: async () => Number(await tmux('list-panes', '-F', '#{pane_pid}')),
  };
}
