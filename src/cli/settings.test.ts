import { describe, expect, it, test } from 'vitest';
import { Failure } from './failure.ts';
import { fill } from './config/fill.ts';
import { readEnvironment } from './config/read.ts';
import type { Values } from './option.ts';
import { globalOptions, settingsOf as settingsOfFilled, userOf } from './settings.ts';

/** As the program does it: what is not given is filled from the configuration, here that of the environment alone. */
const settingsOf = (given: Values, environment: Readonly<Record<string, string>>) =>
  settingsOfFilled(
    fill(given, (name) => name in given, globalOptions, readEnvironment(environment).configuration),
    environment,
  );

describe('settings without options and environment', () => {
  it('are those that are built in', () => {
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
] as const)('%s is taken from the option before the environment', (option, setting, variable) => {
  expect(settingsOf({ [option]: 'option' }, { [variable]: 'environment' })[setting]).toBe('option');
  expect(settingsOf({}, { [variable]: 'environment' })[setting]).toBe('environment');
});

describe('the level of the log', () => {
  it('is taken from the option before the environment', () => {
    expect(settingsOf({ logLevel: 'error' }, { RUST_LOG: 'debug' }).logLevel).toBe('error');
    expect(settingsOf({}, { RUST_LOG: 'debug' }).logLevel).toBe('debug');
  });
});

describe('any certificate', () => {
  it('is accepted when the option or the environment says so, and only then', () => {
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
  it('may end with slashes', () => {
    expect(settingsOf({ url: 'http://host/torc-service/v1//' }, {}).url).toBe('http://host/torc-service/v1');
  });
});

describe('the format', () => {
  it.each(['table', 'json', 'csv'])('may be %s', (format) => {
    expect(settingsOf({ format }, {}).format).toBe(format);
  });

  it.each(['xml', 'JSON', ''])('is refused when it is %j', (format) => {
    expect(() => settingsOf({ format }, {})).toThrow(new Failure("format must be one of 'table', 'json', or 'csv'"));
  });
});

describe('the interval of snapshots', () => {
  it('is a number of seconds, 1 or more', () => {
    expect(settingsOf({ snapshotIntervalSeconds: '2.5' }, {}).snapshotIntervalSeconds).toBe(2.5);
  });

  it.each(['0', '0.5', '-1', 'often', ''])('is refused when it is %j', (interval) => {
    expect(() => settingsOf({ snapshotIntervalSeconds: interval }, {})).toThrow(
      new Failure(`--snapshot-interval-seconds: expected 1 or more, found ${interval}`),
    );
  });
});

describe('most jobs of a workflow file', () => {
  it('are what the environment says, where it says a number', () => {
    expect(settingsOf({}, { TORC_MAX_JOBS: '500' }).maxJobs).toBe(500);
    expect([settingsOf({}, {}).maxJobs, settingsOf({}, { TORC_MAX_JOBS: '' }).maxJobs]).toEqual([undefined, undefined]);
  });

  it.each(['0', '-1', '1e6', 'many'])('are refused when they are %j', (text) => {
    expect(() => settingsOf({}, { TORC_MAX_JOBS: text })).toThrow(
      new Failure(`TORC_MAX_JOBS: expected a whole number of 1 or more, found "${text}"`),
    );
  });
});

describe('the person', () => {
  it.each([
    [{ TORC_USERNAME: 'torc', USER: 'unix', USERNAME: 'windows' }, 'torc'],
    [{ TORC_USERNAME: '', USER: 'unix', USERNAME: 'windows' }, 'unix'],
    [{ USERNAME: 'windows' }, 'windows'],
  ])('of %j is %s', (environment, user) => {
    expect(userOf(environment)).toBe(user);
  });

  it('is whom the system says where the environment says nothing', () => {
    expect(userOf({})).not.toBe('');
  });
});
