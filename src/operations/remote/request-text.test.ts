import { describe, expect, it } from 'vitest';
import type { HostRequest } from '../../core/remote/remote-host.ts';
import { requestJson, requestText } from './request-text.ts';

const request: HostRequest = { task: 'state', version: 'sésame', workflow_id: 1, output_dir: 'out' };

describe('a request of torc remote', () => {
  it('a request of torc remote arrives as it was sent, counted in bytes', () => {
    expect(requestText(request)).toMatch(/^\d+\n\{/);
    expect(requestJson(requestText(request))).toEqual({ json: request });
  });

  it.each([
    requestText(request).slice(0, -5),
    `${requestText(request)}x`,
    requestText(request).replace(/^\d+\n/, ''),
    '11\nsesame true',
    '',
  ])('a request that arrives in part, or as something else, is refused, and no part of it is repeated: %#', (text) => {
    const found = requestJson(text);
    expect(found).toEqual({ fault: expect.stringContaining('request') as string });
    expect(JSON.stringify(found)).not.toMatch(/s[eé]same|state/);
  });
});
