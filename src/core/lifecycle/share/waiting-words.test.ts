import { expect, it } from 'vitest';
import type { Amounts } from '../../job/amounts.ts';
import { type Holder, waitingWords } from './waiting-words.ts';

const holder = (more: Partial<Holder>): Holder => ({
  workflowId: 3,
  pid: 1234,
  database: '/data/torc.db',
  holds: { cpus: 2 },
  isSuspended: false,
  ...more,
});
const words = (need: Amounts, inUse: Amounts, holders: readonly Holder[]) =>
  waitingWords({ need, inUse, holders, total, database: '/data/torc.db' });
const total = { cpus: 2, memory_bytes: 8 * 2 ** 30, 'license matlab': 4 };

it('a run that waits names the runs that hold what it needs', () => {
  expect(words({ cpus: 1 }, {}, [holder({})])).toBe('waits: 2 of 2 CPUs are in use by workflow 3 (pid 1234)');
  const memory = holder({ holds: { memory_bytes: 6 * 2 ** 30 }, isSuspended: true });
  expect(words({ cpus: 1, memory_bytes: 3 * 2 ** 30 }, {}, [memory])).toBe(
    'waits: 6 GiB of 8 GiB of memory are in use by workflow 3 (pid 1234, suspended)',
  );
  const seats = holder({ holds: { 'license matlab': 1 } });
  expect(words({ cpus: 1, 'license matlab': 2 }, { 'license matlab': 2 }, [seats])).toBe(
    'waits: 1 of 4 matlab is in use by workflow 3 (pid 1234)',
  );
});

it('the words name the databases of runs whose workflows have the same number, and say that a killed run left jobs', () => {
  const both = [holder({ holds: { cpus: 1 } }), holder({ holds: { cpus: 1 }, pid: 5, database: '/other.db' })];
  expect(words({ cpus: 1 }, {}, both)).toBe(
    'waits: 2 of 2 CPUs are in use by workflow 3 (pid 1234) and workflow 3 of /other.db (pid 5)',
  );
  expect(words({ cpus: 1 }, {}, [holder({ isLeft: true })])).toBe(
    'waits: 2 of 2 CPUs are in use by jobs that a killed run of workflow 3 left (its pid was 1234)',
  );
});

it('a run that waits for its own jobs alone says nothing of others', () => {
  expect(words({ cpus: 1 }, { cpus: 2 }, [])).toBeUndefined();
  expect(words({ cpus: 1 }, { cpus: 1 }, [holder({ holds: { memory_bytes: 5 } })])).toBeUndefined();
});
