import { expect, it } from 'vitest';
import { HelperFailed } from '../helper-failed.ts';
import { signalSteps } from './scancel.ts';

const asks = (stderr: string) => {
  const asked: (readonly string[])[] = [];
  const ask = (_program: string, args: readonly string[]) => {
    asked.push(args);
    return stderr === '' ? Promise.resolve('') : Promise.reject(new HelperFailed(stderr, { stderr }));
  };
  return { asked, signal: (name: string) => signalSteps(ask, ['2.0', '2.1'], name) };
};

it('steps are signaled in one call, by the number of a signal that scancel does not know by name', async () => {
  const { asked, signal } = asks('');
  await signal('SIGTERM');
  await signal('SIGPROF');
  expect(asked).toEqual([
    ['-s', 'TERM', '2.0', '2.1'],
    ['-s', '27', '2.0', '2.1'],
  ]);
});

// Slurm 22.05.8, scancel of a step whose second task has ended, and of one in an allocation that is being ended.
it.each([
  ['Invalid job id specified', 2],
  ['Job/step already completing or completed', '2.0'],
])(
  'a step without a process on one of its nodes is no failure: the others have got the signal (%s)',
  async (why, id) => {
    const line = `scancel: error: Kill job error on job step id ${id}: ${why}\n`;
    await expect(asks(line).signal('SIGTERM')).resolves.toBeUndefined();
    const away = 'scancel: error: slurm_kill_job: Unable to contact slurm controller (connect failure)\n';
    await expect(asks(line + away).signal('SIGTERM')).rejects.toThrow('Unable to contact');
  },
);
