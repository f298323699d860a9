import { describe, expect, it } from 'vitest';
import { compareVersions } from './compare-versions.ts';

const api = (client: string, server: string) =>
  compareVersions({ version: '0.1.0', api_version: client }, { version: '9.9.9', api_version: server });

describe('API versions', () => {
  it.each([
    ['0.23.0', '0.23.0', 'none', 'API version 0.23.0 matches server (server 9.9.9)'],
    ['0.23.1', '0.23.0', 'patch', 'patch difference, should be compatible'],
    ['0.23.0', '0.23.1', 'patch', 'patch difference, should be compatible'],
    ['0.24.0', '0.23.9', 'minor', 'client is newer than server, should be compatible'],
    ['0.22.0', '0.23.0', 'minor', 'server is newer than client, should be compatible'],
    ['1.0.0', '0.23.0', 'major', 'API version incompatible'],
    ['0.23.0', '1.0.0', 'major', 'API version incompatible'],
  ])('API version %s here and %s on the server: %s', (client, server, severity, words) => {
    const found = api(client, server);
    expect(found.severity).toBe(severity);
    expect(found.message).toContain(words);
  });

  it.each(['0.8.0', 'v0.8.0', '0.8.0-beta', '0.8.0 (abc-dirty)'])('API version numbers are read from %j', (text) => {
    expect(api('0.8.0', text).severity).toBe('none');
    expect(api('0.9.0', text).severity).toBe('minor');
  });

  it.each(['invalid', '1.2', ''])('an API version that cannot be parsed, such as %j, never stops a program', (text) => {
    expect(api('0.8.0', text).severity).toBe('none');
  });
});

describe('a server without an API version', () => {
  it('a server without an API version is compared by its program version, which never stops a program', () => {
    expect(compareVersions({ version: '0.1.0', api_version: '0.23.0' }, { version: '2.0.0' })).toEqual({
      severity: 'minor',
      message: 'Versions differ: server is newer than client: client 0.1.0, server 2.0.0 (server 2.0.0)',
    });
  });
});
