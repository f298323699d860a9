import { describe, expect, it } from 'vitest';
import type { HostRequest } from '../../core/remote/remote-host.ts';
import { withoutRequest } from './ask-host.ts';

const service = {
  url: 'http://h/',
  user: 'me',
  password: 'open $x sesame',
  cookie: 'session=0123456789',
  insecure: false,
};
const recover: HostRequest = { task: 'recover', version: '1', workflow_id: 1, output_dir: 'out', service };
const state: HostRequest = { task: 'state', version: '1', workflow_id: 1, output_dir: 'out' };

describe('what a host prints of a request', () => {
  it.each([
    JSON.stringify(recover),
    'dash: 1: password:open $x: not found',
    '+ echo sesame}',
    'Cookie 0123456789',
    '{task:recover,version:1,workflow_id:1,',
  ])('what a host prints of a request is not shown: %s', (line) => {
    expect(withoutRequest(`before\n${line}\nafter`, recover)).toBe('before\nafter');
  });

  it('what a host prints besides is shown, and a short password hides only the lines with it', () => {
    const text = 'torc needs Node\nno such folder /scratch/x\nopen';
    expect(withoutRequest(text, recover)).toBe(text);
    expect(withoutRequest(text, state)).toBe(text);
    const short: HostRequest = { ...recover, service: { ...service, password: 'x1', cookie: null } };
    expect(withoutRequest('a\nx1 b', short)).toBe('a');
    expect(withoutRequest(text, { ...recover, service: { ...service, password: '' } })).toBe(text);
  });
});
