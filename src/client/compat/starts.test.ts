import { expect, it } from 'vitest';
import { whyUnknown } from './starts.ts';

it('a refused start counts as known if its attempt runs on this node or has ended', () => {
  expect(whyUnknown({ status: 'running', attempt_id: 2, compute_node_id: 5 }, 2, 5)).toBeUndefined();
  expect(whyUnknown({ status: 'canceled', attempt_id: 2 }, 2, 5)).toBeUndefined();
  expect(whyUnknown({ status: 'completed' }, 1, 5)).toBeUndefined();
});

it('a refused start is unknown if its job runs elsewhere, is in another attempt, or was reset', () => {
  const words = (status: string, attempt: number) =>
    `its start was not recorded: it is ${status} in attempt ${attempt}`;
  expect(whyUnknown({ status: 'running', attempt_id: 2, compute_node_id: 6 }, 2, 5)).toBe(words('running', 2));
  expect(whyUnknown({ status: 'running', attempt_id: 3, compute_node_id: 5 }, 2, 5)).toBe(words('running', 3));
  expect(whyUnknown({ status: 'ready' }, 1, 5)).toBe(words('ready', 1));
});
