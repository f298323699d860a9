import { expect, it } from 'vitest';
import { ServiceError } from './errors.ts';

const said = (status: number, text: string) => {
  const { message, code, remedy } = new ServiceError('asking', { status, text });
  return { message, code, remedy };
};

it('a refusal is reported with its status, its message and its remedy', () => {
  const text = JSON.stringify({ error: { message: 'no such job', code: 'NOT_FOUND', remedy: 'Look again.' } });
  expect(said(404, text)).toEqual({
    message: 'API error while asking (status: 404 Not Found): no such job',
    code: 'NOT_FOUND',
    remedy: 'Look again.',
  });
});

it('a refused login is reported with the way to log in, although the reply does not contain it', () => {
  expect(said(401, 'Unauthorized')).toEqual({
    message: 'API error while asking (status: 401 Unauthorized): Unauthorized',
    code: undefined,
    remedy: 'Log in: set TORC_USERNAME and TORC_PASSWORD, or give --prompt-password.',
  });
});

it('a reply of another program is reported with its text, or as a reply without an explanation', () => {
  expect(said(502, '<html>').message).toBe('API error while asking (status: 502): <html>');
  expect(said(502, '').message).toBe('API error while asking (status: 502): no explanation');
});
