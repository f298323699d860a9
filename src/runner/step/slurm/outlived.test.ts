import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, until } from '../../../../tests/support/programs.ts';
import type { AccountedStep } from '../../../cluster/slurm/sacct.ts';
import { NO_MARK, parseMark } from '../../../core/attempt/step-mark.ts';
import { mayOutlive, type SrunEnd, watchOutlived } from './outlived.ts';

const killed: SrunEnd = { exitCode: undefined, signal: 9 };
const exited = (exitCode: number): SrunEnd => ({ exitCode, signal: undefined });

describe('whether a step may go on when its srun has ended', () => {
  it.each<[string, SrunEnd, string | undefined, boolean]>([
    ['killed, and the command goes on', killed, 'began\n', true],
    ['killed before the step was seen to begin', killed, undefined, true],
    ['killed when the command had ended', killed, 'began\nended 3 7\n', false],
    ['with 0, and the command has not ended', exited(0), 'began\n', true],
    ['with 1, as srun 26.05 does when a node fails', exited(1), 'began\n', true],
    ['with 0, and the command has ended', exited(0), 'began\nended 0 7\n', false],
    ['with the code of a killed task', exited(137), 'began\n', false],
    ['with 1, because Slurm created no step', exited(1), undefined, false],
  ])('an srun that ended %s', (_, srun, text, expected) => {
    expect(mayOutlive(srun, text === undefined ? NO_MARK : parseMark(text))).toBe(expected);
  });
});

const row = (state: string) => ({ state }) as AccountedStep;

/** A step whose srun was killed while its command runs, in a Slurm that says what the test wants. */
function watching() {
  const mark = join(temporaryFolder(), 'mark');
  writeFileSync(mark, 'began\n');
  const away = () => Promise.reject(new Error('Unable to contact slurm controller'));
  const slurm = {
    asked: 0,
    ids: (): Promise<ReadonlyMap<string, string>> => Promise.resolve(new Map([['step', '1.1']])),
    accounted: (): Promise<ReadonlyMap<string, AccountedStep>> => Promise.resolve(new Map([['step', row('RUNNING')]])),
  };
  const over: string[] = [];
  const watch = watchOutlived({
    slurm: {
      ids() {
        slurm.asked += 1;
        return slurm.ids();
      },
      accounted: () => slurm.accounted(),
    },
    onOver: (ends) => over.push(...ends.map(({ id, srun }) => `${id} ${srun.signal}`)),
  });
  onTestFinished(() => watch.close());
  watch.add('step', mark, killed);
  const asked = (times: number) => {
    const from = slurm.asked;
    return until(
      () => slurm.asked,
      (count) => count >= from + times,
      `${times} questions`,
      30_000,
    );
  };
  const ends = () =>
    until(
      () => over,
      ({ length }) => length > 0,
      'the end of the step',
      30_000,
    );
  return { mark, slurm, away, over, watch, asked, ends };
}

describe('a step whose srun was killed', { concurrent: true, timeout: 60_000 }, () => {
  it('a step without its srun is over when its mark says so, and not while Slurm lists it', async () => {
    const { mark, over, asked, ends } = watching();
    await asked(3);
    expect(over).toEqual([]);
    writeFileSync(mark, 'began\nended 0 3\n');
    expect(await ends()).toEqual(['step 9']);
  });

  it('a step without its srun is over when the accounting has its State, also while squeue lists it still', async () => {
    const { slurm, over, asked, ends } = watching();
    await asked(2);
    expect(over).toEqual([]);
    slurm.accounted = async () => new Map([['step', row('CANCELLED')]]);
    expect(await ends()).toEqual(['step 9']);
  });

  it('a step without its srun is over when squeue does not list it twice in a row, also without an accounting, and not after the first time', async () => {
    const { slurm, away, over, asked, ends } = watching();
    slurm.accounted = away;
    slurm.ids = async () => new Map(slurm.asked % 2 === 0 ? [['step', '1.1']] : []);
    await asked(4);
    expect(over).toEqual([]);
    slurm.ids = async () => new Map();
    expect(await ends()).toEqual(['step 9']);
  });

  it('a step without its srun is not over because Slurm cannot be asked, nor because its mark cannot be read', async () => {
    const { mark, slurm, away, over, asked } = watching();
    slurm.ids = away;
    slurm.accounted = away;
    rmSync(mark);
    await asked(5);
    expect(over).toEqual([]);
  });

  it('a step without its srun is waited for 5 s after SIGKILL, where Slurm cannot be asked, and longer after SIGTERM', async () => {
    const { slurm, away, over, watch, asked, ends } = watching();
    slurm.ids = away;
    slurm.accounted = away;
    watch.signaled('step', 'SIGTERM');
    await asked(12);
    expect(over).toEqual([]);
    const from = performance.now();
    watch.signaled('step', 'SIGKILL');
    expect(await ends()).toEqual(['step 9']);
    expect(performance.now() - from).toBeGreaterThan(4_900);
  });
});
