import { expect, it } from 'vitest';
import { ServiceError, Unreachable } from '../../client/errors.ts';
import { createActionClaims } from './claims.ts';

const NODE = 5;
const refusal = (status: number) => new ServiceError('claiming an action', { status, text: 'no' });

/** Claims of a server that answers each request with this error, and where this runner executed the action. */
function claimsOf(error: Error, executedBy: number | undefined) {
  const levels: string[] = [];
  const client = {
    claimWorkflowAction: () => Promise.reject(error),
    listWorkflowActions: () => Promise.resolve([{ id: 1, executed_by: executedBy }]),
    endWorkflowAction: () => Promise.reject(error),
  };
  const log = { write: (level: string) => void levels.push(level), close: () => {} };
  const claims = createActionClaims({ client: client as never, workflowId: 2, nodeId: NODE, log });
  return { claims, levels };
}

it('a refused claim is ours if the server says that this runner has the action, and not if another one has it', async () => {
  expect(await claimsOf(refusal(409), NODE).claims.claim(1)).toBe(true);
  expect(await claimsOf(refusal(409), NODE + 1).claims.claim(1)).toBe(false);
});

it('a claim that failed otherwise leaves open who has the action', async () => {
  await expect(claimsOf(new Unreachable('away'), NODE).claims.claim(1)).rejects.toThrow('away');
  await expect(claimsOf(refusal(500), NODE).claims.claim(1)).rejects.toThrow(ServiceError);
});

it('an end that cannot be reported is a warning, and a detail where the server does not know such reports', async () => {
  const away = claimsOf(new Unreachable('away'), NODE);
  await away.claims.reportEnd(1, 'done');
  expect(away.levels).toEqual(['warn']);
  const older = claimsOf(refusal(404), NODE);
  await older.claims.reportEnd(1, 'done');
  expect(older.levels).toEqual(['debug']);
});
