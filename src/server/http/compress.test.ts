import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { testService, type TestService } from '../../../tests/support/service.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { acceptedEncoding, createCompressor } from './compress.ts';

it.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['br, deflate', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['GZIP;q=0.5', 'gzip'],
  ['gzip;q=1.0, zstd;q=0.5', 'gzip'],
  ['gzip; q=0', undefined],
  ['zstd;q=0, gzip', 'gzip'],
  ['*', 'zstd'],
  ['*;q=0', undefined],
  ['gzip;q=nonsense', undefined],
])('of the encodings in "%s" the server chooses %s', (header, encoding) => {
  expect(acceptedEncoding(header)).toBe(encoding);
});

it('every header is one that the server accepts or not, and none is an error', () => {
  fc.assert(fc.property(fc.string(), (header) => void acceptedEncoding(header)));
});

it('a reply is not compressed while as many are as may be at once, and is afterwards', async () => {
  const compressor = createCompressor(1);
  const first = compressor.text('a'.repeat(5_000), 'gzip');
  expect(compressor.text('b', 'gzip')).toBeUndefined();
  expect(compressor.parts([], 'zstd')).toBeUndefined();
  await first;
  const stream = compressor.parts([Buffer.from('left')], 'gzip');
  expect(compressor.text('b', 'gzip')).toBeUndefined();
  // A client that leaves before the end.
  await stream?.cancel();
  await expect.poll(() => compressor.text('b', 'gzip')).toBeDefined();
});

describe('a reply to a client that accepts compressed ones', () => {
  let service: TestService;
  beforeEach(async () => {
    service = testService();
    await service.client.createWorkflow({ body: { name: 'w', user: 'u' } });
    const jobs = Array.from({ length: 150 }, (_, index) => ({
      workflow_id: 1,
      name: `größe_${index}`,
      command: 'true',
    }));
    await service.client.createJobs({ body: { jobs } });
  });
  const ask = async (path: string, encoding?: string, method = 'GET') => {
    const headers: Record<string, string> = encoding === undefined ? {} : { 'Accept-Encoding': encoding };
    const response = await service.app.request(BASE_PATH + path, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      ...(method === 'GET' ? {} : { body: '{}' }),
    });
    return {
      bytes: Buffer.from(await response.arrayBuffer()),
      encoding: response.headers.get('content-encoding'),
      vary: response.headers.get('vary'),
    };
  };

  it.each(['/jobs?workflow_id=1', '/jobs?workflow_id=1&limit=20', '/workflows/1/graph'])(
    'the reply to %s says the same with gzip, with zstd and without',
    async (path) => {
      const plain = await ask(path);
      const zipped = await ask(path, 'gzip, deflate');
      const zstd = await ask(path, 'gzip, deflate, br, zstd');
      expect([plain.encoding, zipped.encoding, zstd.encoding].filter((each) => each !== null)).toEqual(
        plain.bytes.length > 1024 ? ['gzip', 'zstd'] : [],
      );
      expect([plain.vary, zipped.vary]).toEqual(['Accept-Encoding', 'Accept-Encoding']);
      if (zipped.encoding === null) return;
      expect(gunzipSync(zipped.bytes).toString()).toBe(plain.bytes.toString());
      expect(zstdDecompressSync(zstd.bytes).toString()).toBe(plain.bytes.toString());
      expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / 3);
    },
  );

  it('the reply is not compressed where it is small, refuses, or answers what runners send', async () => {
    expect((await ask('/workflows/1', 'gzip')).encoding).toBeNull();
    expect((await ask(`/workflows/1?${'x'.repeat(2_000)}`, 'gzip')).encoding).toBeNull();
    expect((await ask(`/nothing/${'x'.repeat(2_000)}`, 'gzip')).encoding).toBeNull();
    for (const path of ['/workflows/1/claim_next_jobs?limit=100', '/workflows/1/initialize_jobs']) {
      const { encoding, vary } = await ask(path, 'gzip', 'POST');
      expect([encoding, vary]).toEqual([null, null]);
    }
  });

  it('a stream of events is not compressed', async () => {
    const abort = new AbortController();
    const response = await service.app.request(`${BASE_PATH}/workflows/1/events/stream`, {
      headers: { 'Accept-Encoding': 'gzip, zstd' },
      signal: abort.signal,
    });
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null]);
    abort.abort();
    await response.body?.cancel().catch(() => {});
  });
});
