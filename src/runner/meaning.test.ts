import { describe, expect, it } from 'vitest';
import { ServiceError, Unreachable } from '../client/errors.ts';
import { behind, meaningOf } from './meaning.ts';

const known = { runId: 3, changeId: 70 };
const refusal = (status: number, error: object) =>
  new ServiceError('calling exchange', { status, text: JSON.stringify({ error: { message: 'no', ...error } }) });
const kind = (error: unknown) => meaningOf(error, known).kind;

describe('an exchange that failed means that the server is', () => {
  it.each([
    ['no answer', new Unreachable('no answer')],
    ['an answer of 500', refusal(500, {})],
    ['an answer of 503', refusal(503, { code: 'SHUTTING_DOWN' })],
    ['a page of a proxy', new ServiceError('x', { status: 404, text: '<html>not found</html>' })],
    ['an answer that is no JSON', new SyntaxError('Unexpected token <')],
    ['a login that is refused', refusal(401, { code: 'CREDENTIAL_MISSING' })],
    ['access that is refused', refusal(403, { code: 'FORBIDDEN' })],
    ['a body that is refused', refusal(422, { code: 'BODY_REFUSED' })],
  ])('away: %s', (_, error) => {
    expect(kind(error)).toBe('away');
  });

  it('superseded by a later run, or gone, as far as the database has come at least', () => {
    expect(kind(refusal(422, { code: 'RUN_SUPERSEDED', current: 4, change_id: 70 }))).toBe('superseded');
    expect(kind(refusal(404, { code: 'NOT_FOUND', change_id: 71 }))).toBe('superseded');
    expect(kind(refusal(404, { code: 'NOT_FOUND' }))).toBe('superseded');
    expect(kind(refusal(422, { code: 'REFERENCE_UNKNOWN', change_id: 90 }))).toBe('superseded');
  });

  it('behind, with a database that knows less than the runner does', () => {
    expect(kind(refusal(422, { code: 'RUN_SUPERSEDED', current: 2, change_id: 70 }))).toBe('behind');
    expect(kind(refusal(422, { code: 'RUN_SUPERSEDED', current: 4, change_id: 69 }))).toBe('behind');
    expect(kind(refusal(404, { code: 'NOT_FOUND', change_id: 0 }))).toBe('behind');
    expect(meaningOf(refusal(422, { code: 'REFERENCE_UNKNOWN', change_id: 12 }), known)).toEqual(behind(12, known));
    expect(behind(12, known).reason).toBe('its last change is 12, and this runner was told of change 70');
  });
});
