import { describe, expect, it } from 'vitest';
import { compareVersions } from './compare-versions.ts';

const api = (client: string, server: string) =>
  compareVersions({ version: '0.1.0', api_version: client }, { version: '9.9.9', api_version: server });

describe('versions of the API', () => {
  it.each([
    ['0.23.0', '0.23.0', 'none', 'API version 0.23.0 matches server (server 9.9.9)'],
    ['0.23.1', '0.23.0', 'patch', 'patch difference, should be compatible'],
    ['0.23.0', '0.23.1', 'patch', 'patch difference, should be compatible'],
    ['0.24.0', '0.23.9', 'minor', 'client is newer than server, should be compatible'],
    ['0.22.0', '0.23.0', 'minor', 'server is newer than client, should be compatible'],
    ['1.0.0', '0.23.0', 'major', 'API version incompatible'],
    ['0.23.0', '1.0.0', 'major', 'API version incompatible'],
  ])('%s here and %s there: %s', (client, server, severity, words) => {
    const found = api(client, server);
    expect(found.severity).toBe(severity);
    expect(found.message).toContain(words);
  });

  it.each(['0.8.0', 'v0.8.0', '0.8.0-beta', '0.8.0 (abc-dirty)'])('are read from %j', (text) => {
    expect(api('0.8.0', text).severity).toBe('none');
    expect(api('0.9.0', text).severity).toBe('minor');
  });

  it.each(['invalid', '1.2', ''])('that cannot be read, such as %j, are no reason to stop', (text) => {
    expect(api('0.8.0', text).severity).toBe('none');
  });
});

describe('a server that tells no version of its API', () => {
  it('is compared by its own, and never stops anybody', () => {
    expect(compareVersions({ version: '0.1.0', api_version: '0.23.0' }, { version: '2.0.0' })).toEqual({
      severity: 'minor',
      message: 'Versions differ: server is newer than client: client 0.1.0, server 2.0.0 (server 2.0.0)',
    });
  });
});
