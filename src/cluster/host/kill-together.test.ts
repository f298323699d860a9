import { describe, expect, it } from 'vitest';
import { killTogether } from './kill-together.ts';

describe('killing processes together', () => {
  it('killing processes together stops every one of them before the first dies', () => {
    const sent: string[] = [];
    const found = [
      [3, 2],
      [3, 2, 4],
      [2, 3, 4],
    ];
    killTogether(
      () => found.shift() ?? [],
      (pid, signal) => sent.push(`${signal} ${pid}`),
    );
    expect(sent).toEqual(['SIGSTOP 3', 'SIGSTOP 2', 'SIGSTOP 4', 'SIGKILL 3', 'SIGKILL 2', 'SIGKILL 4']);
  });

  it('killing processes together ends although new processes appear in each search', () => {
    let last = 0;
    const killed = killTogether(
      () => [(last += 1)],
      () => {},
    );
    expect(killed.size).toBe(last);
  });

  it('killing processes together signals nothing where nothing is found', () => {
    const sent: number[] = [];
    killTogether(
      () => [],
      (pid) => sent.push(pid),
    );
    expect(sent).toEqual([]);
  });
});
