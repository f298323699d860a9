import { constants } from 'node:os';
import { runInForeground } from '../cluster/exec.ts';
import { packageRoot } from '../operations/run/package-root.ts';

/**
 * Runs a command of torc on the terminal, with the words as a shell reads them, and returns its exit code.
 *
 * `torc` is this installation. Ctrl-C reaches the command and this program, which goes on.
 */
export async function runCommand(command: string): Promise<number> {
  const ignore = () => {};
  process.on('SIGINT', ignore).on('SIGQUIT', ignore);
  try {
    const PATH = `${packageRoot()}/bin:${process.env['PATH'] ?? ''}`;
    const { code, signal } = await runInForeground('/bin/sh', ['-c', command], { ...process.env, PATH });
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } finally {
    process.off('SIGINT', ignore).off('SIGQUIT', ignore);
  }
}
