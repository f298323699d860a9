import { expect, it } from 'vitest';
import { ServiceError } from './errors.ts';

const said = (status: number, text: string) => {
  const { message, code, remedy } = new ServiceError('asking', { status, text });
  return { message, code, remedy };
};

it('a refusal is told with its status, its words and what to do', () => {
  const text = JSON.stringify({ error: { message: 'no such job', code: 'NOT_FOUND', remedy: 'Look again.' } });
  expect(said(404, text)).toEqual({
    message: 'API error while asking (status: 404 Not Found): no such job',
    code: 'NOT_FOUND',
    remedy: 'Look again.',
  });
});

it('who is not let in is told how to log in, though the door says nothing of it', () => {
  expect(said(401, 'Unauthorized')).toEqual({
    message: 'API error while asking (status: 401 Unauthorized): Unauthorized',
    code: undefined,
    remedy: 'Log in: set TORC_USERNAME and TORC_PASSWORD, or give --prompt-password.',
  });
});

it('an answer of something else is told in its own words, or as none', () => {
  expect(said(502, '<html>').message).toBe('API error while asking (status: 502): <html>');
  expect(said(502, '').message).toBe('API error while asking (status: 502): no explanation');
});
