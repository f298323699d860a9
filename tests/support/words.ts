import { Readable } from 'node:stream';
import { expect, vi } from 'vitest';
import { runProgram } from '../../src/cli/program/program.ts';
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
  // There is no terminal to ask on.
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') as PropertyDescriptor;
  Object.defineProperty(process, 'stdin', { configurable: true, get: () => Readable.from([]) });
  for (const [name, value] of Object.entries({ USER: 'tester', ...environment })) vi.stubEnv(name, value);
  try {
    return { code: await runProgram('torc', words), ...text };
  } finally {
    for (const spy of spies) spy.mockRestore();
    Object.defineProperty(process, 'stdin', stdin);
    vi.unstubAllEnvs();
  }
}

type Row = Record<string, unknown>;

/** Commands of `torc` to one server, and what they answer. */
export function wordsTo(url: () => string) {
  const call = (...words: string[]) => said(words, { TORC_API_URL: url() });

  /** The JSON of a command that succeeds. */
  const json = async (...words: string[]): Promise<Row> => {
    const { code, stdout, stderr } = await call('-f', 'json', ...words);
    if (code !== 0) throw new Error(`torc ${words.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as Row;
  };

  /** The rows of a list, which is nothing else. */
  const items = async (...words: string[]) => {
    const answer = await json(...words);
    expect(Object.keys(answer)).toEqual(['items']);
    return answer['items'] as Row[];
  };

  /** The lines of CSV of a command that succeeds. */
  const csv = async (...words: string[]) => {
    const { code, stdout } = await call('-f', 'csv', ...words);
    expect(code).toBe(0);
    return stdout.trimEnd().split('\n');
  };
  return { call, json, items, csv };
}
