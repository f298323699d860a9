import { describe, expect, it } from 'vitest';
import { createGate, isLoopbackAddress, allowedOriginOf } from './origin.ts';

const rules = { isLoopback: true, isTls: false, hosts: ['torc.lab'], origins: ['https://portal.lab'] };
const codeOf = (heads: object, over: object = {}) => createGate({ ...rules, ...over })(heads)?.code;

describe('a server on a loopback address', () => {
  it.each([
    'localhost',
    'localhost:8080',
    'LOCALHOST:1',
    'localhost.:80',
    '127.0.0.1:8080',
    '[::1]',
    '[::1]:8080',
    'torc.lab:8080',
  ])('a loopback server answers a request for %s', (host) => {
    expect(codeOf({ host })).toBeUndefined();
  });

  it.each([
    undefined,
    '',
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost:8080@evil.example',
    'evil.example#localhost',
    '::1',
    '0.0.0.0:8080',
  ])('a loopback server refuses a request for %s, on any path', (host) => {
    expect(codeOf({ host })).toBe('HOST_REFUSED');
  });

  it('a loopback server decides separately for each name, regardless of earlier requests', () => {
    const gate = createGate(rules);
    expect(gate({ host: 'localhost:1' })).toBeUndefined();
    expect(gate({ host: 'evil.example' })).toMatchObject({ code: 'HOST_REFUSED', status: 403 });
    expect(gate({ host: 'localhost:1' })).toBeUndefined();
  });
});

it('a server on an address of the network answers to every name', () => {
  expect(codeOf({ host: 'evil.example' }, { isLoopback: false })).toBeUndefined();
  expect(codeOf({ host: undefined }, { isLoopback: false })).toBeUndefined();
});

describe.each([true, false])('a server (bound to loopback: %s)', (isLoopback) => {
  const asked = (heads: object) => codeOf({ host: 'localhost:8080', ...heads }, { isLoopback });

  it.each([
    { origin: 'http://localhost:8080' },
    { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' },
    // A proxy before the server speaks TLS.
    { origin: 'https://localhost:8080' },
    { 'sec-fetch-site': 'same-origin' },
    // The user typed the address.
    { 'sec-fetch-site': 'none' },
    { origin: 'https://portal.lab', 'sec-fetch-site': 'cross-site' },
  ])('a request with %o is answered', (heads) => {
    expect(asked(heads)).toBeUndefined();
  });

  it.each([
    { origin: 'http://evil.example' },
    { origin: 'http://localhost:9999' },
    { origin: 'http://localhost' },
    { origin: 'http://127.0.0.1:8080' },
    { origin: 'http://portal.lab' },
    { origin: 'https://portal.lab.evil.example' },
    { origin: 'null' },
    { origin: '' },
    { origin: 'file://' },
    { origin: 'chrome-extension://localhost:8080' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'something new' },
  ])('a request with %o is refused', (heads) => {
    expect(asked(heads)).toBe('ORIGIN_REFUSED');
  });
});

it('a page loaded without TLS has another origin than a server with TLS', () => {
  const asked = (origin: string) => codeOf({ host: 'localhost:8080', origin }, { isTls: true });
  expect([asked('https://localhost:8080'), asked('http://localhost:8080')]).toEqual([undefined, 'ORIGIN_REFUSED']);
});

it.each([
  ['https://Portal.Lab', 'https://portal.lab'],
  ['https://portal.lab:443/', 'https://portal.lab'],
  ['http://[::1]:3000', 'http://[::1]:3000'],
  ['portal.lab', undefined],
  ['null', undefined],
  ['*', undefined],
  ['https://portal.lab/page', undefined],
  ['file:///tmp', undefined],
])('%s names the origin %s', (text, origin) => {
  expect(allowedOriginOf(text)).toBe(origin);
});

it.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.127.0.1', false],
])('only programs of this machine reach %s: %s', (address, expected) => {
  expect(isLoopbackAddress(address)).toBe(expected);
});
