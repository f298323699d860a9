import { expect, it } from 'vitest';
import type { Client } from '../../../client/client.ts';
import type { FailureHandler } from '../../../core/contract/scheduling.ts';
import { createHandlers } from './handlers.ts';

const record = (id: number, rules: string) => ({ id, workflow_id: 1, name: `handler ${id}`, rules }) as FailureHandler;
const RETRY = '[{"exit_codes":[1]}]';

function handlersOf(present: readonly FailureHandler[], later: readonly FailureHandler[] = []) {
  const asked: number[] = [];
  const warnings: string[] = [];
  const getFailureHandler = (({ params: { id } }: { params: { id: number } }) => {
    asked.push(id);
    const found = later.find((each) => each.id === id);
    return found === undefined ? Promise.reject(new Error('no such handler')) : Promise.resolve(found);
  }) as unknown as Client['getFailureHandler'];
  const log = { write: (_level: string, words: string) => void warnings.push(words), close: () => {} };
  return { handlers: createHandlers({ client: { getFailureHandler }, present, log }), asked, warnings };
}

it('a handler that was there at the start is known at once, and a job without a handler has no rules', () => {
  const { handlers, asked } = handlersOf([record(1, RETRY)]);
  expect(handlers.of(1)).toMatchObject({ rules: [{ exitCodes: [1] }], causes: undefined });
  expect(handlers.of(undefined)).toMatchObject({ rules: 'none' });
  expect(handlers.of(0)).toMatchObject({ rules: 'none' });
  expect(asked).toEqual([]);
});

it('a handler that was created later is fetched once', async () => {
  const { handlers, asked } = handlersOf([], [record(2, RETRY)]);
  expect(await handlers.of(2)).toMatchObject({ rules: [{ exitCodes: [1] }] });
  expect(handlers.of(2)).toMatchObject({ rules: [{ exitCodes: [1] }] });
  expect(asked).toEqual([2]);
});

it('a handler that cannot be fetched or read retries nothing and is warned of, and the fetch is repeated for the next job', async () => {
  const { handlers, asked, warnings } = handlersOf([record(1, '{}')]);
  expect(handlers.of(1)).toEqual({ rules: 'unreadable', causes: undefined });
  expect(await handlers.of(3)).toEqual({ rules: 'unreadable', causes: undefined });
  await handlers.of(3);
  expect(asked).toEqual([3, 3]);
  expect(warnings[0]).toBe('A failure handler cannot be read; its jobs stay failed');
  expect(warnings[1]).toBe('A failure handler cannot be fetched; the job stays failed');
});

it('rules about causes are reported of the handlers at the start', () => {
  expect(handlersOf([record(1, RETRY), record(2, '[{"on_node_fail":"retry"}]')]).handlers.haveCauses).toBe(true);
  expect(handlersOf([record(1, RETRY)]).handlers.haveCauses).toBe(false);
});
