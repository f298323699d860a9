import { expect, it } from 'vitest';
import { LoginRefused } from './login-refused.ts';

const answer = { status: 401, text: 'Unauthorized' };
const url = 'http://host:8080/torc-service/v1';

it('a wrong password is reported with the server and the user, and never with the password', () => {
  const error = new LoginRefused(answer, 'http://ada:secret@host:8080/torc-service/v1', {
    user: 'ada',
    password: 'secret',
  });
  expect(error.message).toBe(
    `the server at ${url} refused the login of user "ada": the password is wrong, or the server has no such user`,
  );
  expect(error.remedy).toContain('TORC_PASSWORD');
});

it('a login that was not given is not reported as a wrong password', () => {
  const error = new LoginRefused(answer, url, { user: 'ada', password: undefined });
  expect(error.message).toBe(`the server at ${url} requires a login, and no password was given for user "ada"`);
});

it('a server that says why it refused a login is quoted', () => {
  const text = JSON.stringify({ error: { message: 'no credential', code: 'CREDENTIAL_MISSING', remedy: 'Send it.' } });
  expect(new LoginRefused({ status: 401, text }, url, { user: 'ada', password: 'x' })).toMatchObject({
    message: 'no credential',
    remedy: 'Send it.',
  });
});
