import { vi } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import type { Ended } from './programs.ts';

/**
 * Runs the words of a command as `torc` does, but within this process: a start costs ten times what most commands do.
 *
 * For tests of many commands; one at a time, for the streams are this process's.
 */
export async function said(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Pick<Ended, 'code' | 'stdout' | 'stderr'>> {
  const text = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((part) => {
      text[stream] += String(part);
      return true;
    }),
  );
  for (const [name, value] of Object.entries({ USER: 'tester', ...environment })) vi.stubEnv(name, value);
  try {
    return { code: await runProgram('torc', words), ...text };
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
  }
}
