import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { createFamilies } from './families.ts';

interface Sketch {
  readonly parent?: number;
  readonly session?: number;
  readonly start?: number;
  readonly environment?: string;
}

/** A folder with the layout of /proc in which processes start and end. */
function machine() {
  const root = temporaryFolder();
  const live = (pid: number, { parent = 1, session = pid, start = 100, environment = '' }: Sketch = {}) => {
    const fields = [pid, '(job)', 'S', parent, session, session, ...Array<number>(15).fill(0), start, 0, 1];
    mkdirSync(join(root, String(pid)), { recursive: true });
    writeFileSync(join(root, `${pid}/stat`), `${fields.join(' ')}\n`);
    writeFileSync(join(root, `${pid}/environ`), `${environment}\0`);
  };
  return { root, live, die: (pid: number) => rmSync(join(root, String(pid)), { recursive: true }) };
}

function familiesOf(root: string, sinceTicks = 50) {
  const asked: string[] = [];
  const families = createFamilies({
    root,
    sinceTicks,
    ownerBy: ([first = '']) => {
      asked.push(first);
      return first === 'JOB=10' ? 10 : undefined;
    },
  });
  onTestFinished(() => families.close());
  const members = (...roots: number[]) =>
    (families.look(new Set(roots)).get(roots[0] as number)?.members ?? []).map(({ pid }) => pid).sort((a, b) => a - b);
  return { members, asked };
}

describe('the processes of a job', () => {
  it('processes that left the session and lost their parents still belong to the job, if they were seen before', () => {
    const { root, live, die } = machine();
    const { members } = familiesOf(root);
    live(10);
    live(11, { parent: 10, session: 11 });
    expect(members(10)).toEqual([10, 11]);
    live(11, { session: 11 });
    live(12, { parent: 11, session: 12 });
    expect(members(10)).toEqual([10, 11, 12]);
    die(10);
    expect(members(10)).toEqual([11, 12]);
  });

  it('processes of a job are known after a look at another job alone, also those that begin in between', () => {
    const { root, live } = machine();
    const { members } = familiesOf(root);
    live(10);
    live(11, { parent: 10, session: 11 });
    live(40);
    expect([members(10, 40), members(40, 10)]).toEqual([[10, 11], [40]]);
    live(12, { parent: 11, session: 12 });
    expect(members(40)).toEqual([40]);
    expect(members(10, 40)).toEqual([10, 11, 12]);
  });

  it('processes that were not seen before are recognised by their environment', () => {
    const { root, live } = machine();
    const { members } = familiesOf(root);
    live(10);
    live(20, { environment: 'JOB=10' });
    live(21, { parent: 20, session: 21 });
    live(30, { environment: 'JOB=99' });
    expect(members(10)).toEqual([10, 20, 21]);
  });

  it('processes that began before the runner, or that belong to a job that is not sampled, are excluded', () => {
    const { root, live } = machine();
    const { members, asked } = familiesOf(root);
    live(10);
    live(20, { environment: 'JOB=10', start: 49 });
    expect(members(10)).toEqual([10]);
    live(40);
    live(21, { environment: 'JOB=10' });
    expect(members(40)).toEqual([40]);
    // The older process was not checked.
    expect(asked).toHaveLength(1);
  });

  it('a process with the reused id of an ended process does not belong to the job', () => {
    const { root, live } = machine();
    const { members } = familiesOf(root);
    live(10);
    live(11, { parent: 10, session: 11 });
    expect(members(10)).toEqual([10, 11]);
    live(11, { start: 300 });
    expect(members(10)).toEqual([10]);
  });

  it("the job's processes are read at every sample; the environment of another process is read once, and again now and then", () => {
    const { root, live } = machine();
    const { members, asked } = familiesOf(root);
    live(10);
    live(30, { environment: 'STRANGER' });
    for (let look = 0; look < 25; look += 1) expect(members(10)).toEqual([10]);
    expect(asked).toEqual(['STRANGER']);
    // A process of the job gets its id.
    live(30, { environment: 'JOB=10', start: 400 });
    for (let look = 0; look < 10; look += 1) members(10);
    expect(members(10)).toEqual([10, 30]);
  });

  it('the first process of a job may have the reused id of a foreign process', () => {
    const { root, live } = machine();
    const { members } = familiesOf(root);
    live(10);
    live(30);
    expect(members(10)).toEqual([10]);
    live(30, { start: 400 });
    expect(members(30, 10)).toEqual([30]);
  });
});
