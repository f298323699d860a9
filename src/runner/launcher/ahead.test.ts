import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startStepLauncher } from '../../../tests/support/step-launcher.ts';
import { until } from '../../../tests/support/programs.ts';
import { type StepId, stepIdOf } from '../../core/contract/files/job.ts';
import type { LauncherOrder } from '../step/batch/protocol.ts';

const need = { num_cpus: 1, memory_bytes: 0, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 };

/** A launcher in a process of its own, with what it reported so far. Its jobs write and await files of `folder`. */
async function launcher(options: Parameters<typeof startStepLauncher>[0] = {}) {
  const { child, folder, facts, reports, order, seen } = startStepLauncher(options);
  await seen(() => reports.some(({ is }) => is === 'ready'));
  const messages = () => reports.filter((each) => each.is === 'changed');
  const id = (job: number): StepId => stepIdOf(facts, { id: job, attempt_id: 1 });
  const all = (kind: 'started' | 'takenBack') => messages().flatMap((each) => each[kind]);
  return {
    child,
    folder,
    messages,
    id,
    order,
    startOf: (job: number, command: string, after?: number): LauncherOrder => ({
      do: 'start',
      job: { id: job, workflow_id: 7, name: `job${job}`, command, attempt_id: 1, need },
      gpus: [],
      ...(after === undefined ? {} : { after: id(after) }),
    }),
    takenBack: () => all('takenBack'),
    ended: (job: number) => seen(() => messages().some(({ ended }) => ended.some((end) => end.id === id(job)))),
    areTakenBack: (...jobs: number[]) => seen(() => jobs.every((job) => all('takenBack').includes(id(job)))),
    hasStarted: (job: number) => seen(() => all('started').includes(id(job))),
    go: () => writeFileSync(join(folder, 'go'), ''),
    has: (name: string) => existsSync(join(folder, name)),
  };
}

/** The names of programs that have this folder as theirs. */
const processesIn = (folder: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === folder ? [readFileSync(`/proc/${pid}/comm`, 'utf8').trim()] : [];
      } catch {
        return [];
      }
    });

const AWAITS_GO = 'until [ -e go ]; do sleep 0.01; done';

describe('a step that is sent ahead', () => {
  it('a step that was sent ahead starts when the one before it has ended, and is not reported as started before that', async () => {
    const { order, startOf, ended, has, go, messages, id } = await launcher();
    order(startOf(1, `${AWAITS_GO}; touch first`), startOf(2, 'test -e first', 1), startOf(3, 'touch third', 2));
    go();
    await ended(3);
    const of = (job: number) =>
      messages()
        .flatMap((each) => each.ended)
        .find((end) => end.id === id(job));
    expect([of(1)?.exitCode, of(2)?.exitCode, has('third')]).toEqual([0, 0, true]);
    const reportOf = (job: number) => messages().findIndex((each) => each.started.includes(id(job)));
    const endOf = (job: number) => messages().findIndex((each) => each.ended.some((end) => end.id === id(job)));
    expect(reportOf(2)).toBeGreaterThan(endOf(1));
    expect(reportOf(3)).toBeGreaterThan(endOf(2));
  });

  it('a long step that was sent ahead is reported as started while it runs', async () => {
    const { order, startOf, ended, hasStarted, go } = await launcher();
    order(startOf(1, 'true'), startOf(2, AWAITS_GO, 1));
    await hasStarted(2);
    go();
    await ended(2);
  });

  it('a step that is sent after one that has ended starts at once', async () => {
    const { order, startOf, ended } = await launcher();
    order(startOf(1, 'true'));
    await ended(1);
    order(startOf(2, 'true', 1));
    await ended(2);
  });

  it.each([
    ['fails', 'exit 3'],
    ['is killed by a signal', 'kill -TERM $$'],
  ])('no step starts by itself in the place of one that %s', async (_, how) => {
    const { order, startOf, areTakenBack, ended, has, go } = await launcher();
    order(startOf(1, `${AWAITS_GO}; ${how}`), startOf(2, 'touch second', 1), startOf(3, 'touch third', 2));
    go();
    await Promise.all([ended(1), areTakenBack(2, 3)]);
    order(startOf(4, 'true'));
    await ended(4);
    expect([has('second'), has('third')]).toEqual([false, false]);
  });

  it.each<[string, (id: StepId) => LauncherOrder]>([
    ['taken back', (id) => ({ do: 'take-back', id })],
    ['signaled', (id) => ({ do: 'signal', id, signal: 'SIGTERM' })],
    ['killed', (id) => ({ do: 'kill', id })],
  ])('a step that is %s before its place is free does not start, nor do those behind it', async (_, orderOf) => {
    const { order, startOf, areTakenBack, ended, has, go, id } = await launcher();
    order(startOf(1, AWAITS_GO), startOf(2, 'touch second', 1), startOf(3, 'touch third', 2), orderOf(id(2)));
    await areTakenBack(2, 3);
    go();
    await ended(1);
    order(startOf(4, 'true'));
    await ended(4);
    expect([has('second'), has('third')]).toEqual([false, false]);
  });

  it('a step that has started is not taken back', async () => {
    const { order, startOf, ended, hasStarted, takenBack, go, id } = await launcher();
    order(startOf(1, 'true'), startOf(2, AWAITS_GO, 1));
    await hasStarted(2);
    order({ do: 'take-back', id: id(2) });
    go();
    await ended(2);
    expect(takenBack()).toEqual([]);
  });

  it.each(['before', 'after'])(
    'a step that was sent ahead %s SIGTERM, as at the end of an allocation, does not start by itself',
    async (when) => {
      const { child, order, startOf, areTakenBack, ended, hasStarted, has, go } = await launcher();
      order(startOf(1, `trap '' TERM; ${AWAITS_GO}`));
      await hasStarted(1);
      if (when === 'after') child.kill('SIGTERM');
      order(startOf(2, 'touch second', 1));
      if (when === 'before') child.kill('SIGTERM');
      await areTakenBack(2);
      go();
      await ended(1);
      order(startOf(3, 'true'));
      await ended(3);
      expect(has('second')).toBe(false);
    },
  );

  it('a launcher on another node that hears no order for a while ends its jobs and itself, and one in a step of Slurm does not', async () => {
    const both = [await launcher({ everyMs: 500 }), await launcher({ everyMs: 500, endsInSilence: true })] as const;
    for (const { order, startOf } of both)
      order(startOf(1, 'touch begun; exec sleep 600'), startOf(2, 'touch second', 1));
    await until(
      () => {
        for (const { order } of both) order({ do: 'look', question: 1, ids: [] });
        return both.every(({ has }) => has('begun'));
      },
      Boolean,
      'the jobs to begin',
    );
    const [inStep, far] = both;
    await once(far.child, 'exit');
    expect(processesIn(far.folder)).toEqual([]);
    inStep.order(inStep.startOf(3, 'true'));
    await inStep.ended(3);
    expect(processesIn(inStep.folder)).toContain('sleep');
    expect(both.map(({ has }) => has('second'))).toEqual([false, false]);
  });

  it('no step starts after the runner is gone', async () => {
    const { child, order, startOf, hasStarted, has } = await launcher();
    order(startOf(1, 'exec sleep 600'));
    await hasStarted(1);
    order(startOf(2, 'touch second', 1));
    child.stdin?.end();
    await once(child, 'exit');
    expect(has('second')).toBe(false);
  });
});
