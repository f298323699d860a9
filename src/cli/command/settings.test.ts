import { describe, expect, it, test } from 'vitest';
import { Failure } from './failure.ts';
import { fill } from '../program/fill.ts';
import { readEnvironment } from '../config/read.ts';
import type { Values } from './option.ts';
import { globalOptions, settingsOf as settingsOfFilled, userOf } from './settings.ts';

/** As in the program: missing options are filled from the configuration, here from the environment alone. */
const settingsOf = (given: Values, environment: Readonly<Record<string, string>>) =>
  settingsOfFilled(
    fill(given, (name) => name in given, globalOptions, readEnvironment(environment).configuration),
    environment,
  );

describe('settings without options and environment', () => {
  it('settings without options and environment are the defaults', () => {
    expect(settingsOf({}, { USER: 'ada' })).toMatchObject({
      format: 'table',
      logLevel: 'info',
      url: 'http://localhost:8080/torc-service/v1',
      user: 'ada',
      password: undefined,
      cookie: undefined,
      tlsCaCert: undefined,
      tlsInsecure: false,
      skipVersionCheck: false,
      standalone: false,
      database: './torc_output/torc.db',
      inMemory: false,
      snapshotIntervalSeconds: undefined,
      serverProgram: undefined,
    });
  });
});

test.each([
  ['url', 'url', 'TORC_API_URL'],
  ['password', 'password', 'TORC_PASSWORD'],
  ['cookieHeader', 'cookie', 'TORC_COOKIE_HEADER'],
  ['tlsCaCert', 'tlsCaCert', 'TORC_TLS_CA_CERT'],
  ['torcServerBin', 'serverProgram', 'TORC_SERVER_BIN'],
] as const)('the option %s precedes the environment', (option, setting, variable) => {
  expect(settingsOf({ [option]: 'option' }, { [variable]: 'environment' })[setting]).toBe('option');
  expect(settingsOf({}, { [variable]: 'environment' })[setting]).toBe('environment');
});

describe('the log level', () => {
  it('the option for the log level precedes the environment', () => {
    expect(settingsOf({ logLevel: 'error' }, { RUST_LOG: 'debug' }).logLevel).toBe('error');
    expect(settingsOf({}, { RUST_LOG: 'debug' }).logLevel).toBe('debug');
  });
});

describe('unverified certificates', () => {
  it('unverified certificates are accepted only if the option or the environment says so', () => {
    const insecure = [
      settingsOf({ tlsInsecure: true }, {}),
      settingsOf({}, { TORC_TLS_INSECURE: 'true' }),
      settingsOf({}, { TORC_TLS_INSECURE: 'false' }),
      settingsOf({}, { TORC_TLS_INSECURE: '' }),
    ].map(({ tlsInsecure }) => tlsInsecure);
    expect(insecure).toEqual([true, true, false, false]);
  });
});

describe('the URL of the service', () => {
  it('the URL of the service may end with slashes', () => {
    expect(settingsOf({ url: 'http://host/torc-service/v1//' }, {}).url).toBe('http://host/torc-service/v1');
  });
});

describe('the output format', () => {
  it.each(['table', 'json', 'csv'])('the output format may be %s', (format) => {
    expect(settingsOf({ format }, {}).format).toBe(format);
  });

  it.each(['xml', 'JSON', ''])('the output format %j is refused', (format) => {
    expect(() => settingsOf({ format }, {})).toThrow(new Failure("format must be one of 'table', 'json', or 'csv'"));
  });
});

describe('the interval of snapshots', () => {
  it('the interval of snapshots is a number of seconds, 1 or more', () => {
    expect(settingsOf({ snapshotIntervalSeconds: '2.5' }, {}).snapshotIntervalSeconds).toBe(2.5);
  });

  it.each(['0', '0.5', '-1', 'often', ''])('the interval of snapshots %j is refused', (interval) => {
    expect(() => settingsOf({ snapshotIntervalSeconds: interval }, {})).toThrow(
      new Failure(`--snapshot-interval-seconds: expected 1 or more, found ${interval}`),
    );
  });
});

describe('the maximum number of jobs of a workflow file', () => {
  it('the maximum number of jobs is the number in the environment', () => {
    expect(settingsOf({}, { TORC_MAX_JOBS: '500' }).maxJobs).toBe(500);
    expect([settingsOf({}, {}).maxJobs, settingsOf({}, { TORC_MAX_JOBS: '' }).maxJobs]).toEqual([undefined, undefined]);
  });

  it.each(['0', '-1', '1e6', 'many'])('the maximum number of jobs %j is refused', (text) => {
    expect(() => settingsOf({}, { TORC_MAX_JOBS: text })).toThrow(
      new Failure(`TORC_MAX_JOBS: expected a whole number of 1 or more, found "${text}"`),
    );
  });
});

describe('the user', () => {
  it.each([
    [{ TORC_USERNAME: 'torc', USER: 'unix', USERNAME: 'windows' }, 'torc'],
    [{ TORC_USERNAME: '', USER: 'unix', USERNAME: 'windows' }, 'unix'],
    [{ USERNAME: 'windows' }, 'windows'],
  ])('the user of %j is %s', (environment, user) => {
    expect(userOf(environment)).toBe(user);
  });

  it('the user is that of the system if the environment has none', () => {
    expect(userOf({})).not.toBe('');
  });
});
