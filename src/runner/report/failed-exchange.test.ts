import { describe, expect, it } from 'vitest';
import { ServiceError, Unreachable } from '../../client/errors.ts';
import { behind, exchangeFailureOf } from './failed-exchange.ts';

const known = { runId: 3, changeId: 70 };
const refusal = (status: number, error: object) =>
  new ServiceError('calling exchange', { status, text: JSON.stringify({ error: { message: 'no', ...error } }) });
const kind = (error: unknown) => exchangeFailureOf(error, known).kind;

describe('the meaning of a failed exchange', () => {
  it.each([
    ['no reply', new Unreachable('no answer')],
    ['a reply with status 500', refusal(500, {})],
    ['a reply with status 503', refusal(503, { code: 'SHUTTING_DOWN' })],
    ['a page of a proxy', new ServiceError('x', { status: 404, text: '<html>not found</html>' })],
    ['a reply that is not JSON', new SyntaxError('Unexpected token <')],
    ['a refused login', refusal(401, { code: 'CREDENTIAL_MISSING' })],
    ['refused access', refusal(403, { code: 'FORBIDDEN' })],
    ['a refused body', refusal(422, { code: 'BODY_REFUSED' })],
  ])('the server is away after %s', (_, error) => {
    expect(kind(error)).toBe('away');
  });

  it('the runner is superseded by a later run or a deleted workflow, if the database is at least as new as known', () => {
    expect(kind(refusal(422, { code: 'RUN_SUPERSEDED', current: 4, change_id: 70 }))).toBe('superseded');
    expect(kind(refusal(404, { code: 'NOT_FOUND', change_id: 71 }))).toBe('superseded');
    expect(kind(refusal(404, { code: 'NOT_FOUND' }))).toBe('superseded');
    expect(kind(refusal(422, { code: 'REFERENCE_UNKNOWN', change_id: 90 }))).toBe('superseded');
  });

  it('the server is behind when its database is older than what the runner knows', () => {
    expect(kind(refusal(422, { code: 'RUN_SUPERSEDED', current: 2, change_id: 70 }))).toBe('behind');
    expect(kind(refusal(422, { code: 'RUN_SUPERSEDED', current: 4, change_id: 69 }))).toBe('behind');
    expect(kind(refusal(404, { code: 'NOT_FOUND', change_id: 0 }))).toBe('behind');
    expect(exchangeFailureOf(refusal(422, { code: 'REFERENCE_UNKNOWN', change_id: 12 }), known)).toEqual(
      behind(12, known),
    );
    expect(behind(12, known).reason).toBe('its last change is 12, but it sent change 70 to this runner');
  });
});
