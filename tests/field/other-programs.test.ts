import { expect, test } from 'vitest';
import { ServiceError } from '../../src/client/errors.ts';
import { serverReply } from '../../src/client/reply.ts';

/** What portals and proxies reply in place of the server: status, body and Location, and what a person reads of it. */

const NGINX = (title: string) =>
  `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n`;

const NO_SERVER: readonly (readonly [
  source: string,
  status: number,
  text: string,
  location: string | undefined,
  found: string,
])[] = [
  [
    'mod_auth_mellon',
    302,
    '<html>moved</html>',
    'https://login.site.example/saml?token=a',
    'a redirect to https://login.site.example/saml',
  ],
  [
    'nginx, a server that moved to https',
    301,
    NGINX('301 Moved Permanently'),
    'https://torc.site.example/torc-service/v1/ping',
    'a redirect to https://torc.site.example/torc-service/v1/ping',
  ],
  ['a redirect with a login in it', 307, '', 'https://ann:secret@h/', 'a redirect to https://h/'],
  ['a redirect to a text that steers a terminal', 302, '', 'https://h/\u001b[2J', 'a redirect to https://h/\\u001b[2J'],
  ['a redirect to nowhere', 302, '', undefined, 'a redirect'],
  [
    'Open OnDemand, whose session is over',
    200,
    '<!DOCTYPE html>\r\n<html><head>\r\n<title>\r\n Log in\r\n to Site</title></head></html>',
    undefined,
    'a page ("Log in to Site")',
  ],
  ['a page without a title', 200, '  <HTML><body>hi</body></HTML>', undefined, 'a page'],
  ['a captive portal', 204, '', undefined, 'nothing'],
  ['a proxy that strips bodies', 200, '', undefined, 'nothing'],
  ['an API gateway', 200, '{"message":"ok"}', undefined, 'an object with message'],
  ['text of a maintenance page', 200, 'Down until 5 pm', undefined, 'no JSON: Down until 5 pm'],
];

test.each(NO_SERVER)('the reply of %s is no reply of a server', (_, status, text, location, found) => {
  expect(() => serverReply('list jobs', { status, text, location }, 'items has_more')).toThrow(
    `list jobs: no Torc server replied: expected an object with a list "items", found ${found}`,
  );
});

const FAILED: readonly (readonly [
  source: string,
  status: number,
  text: string,
  words: string,
  remedy: string | undefined,
])[] = [
  [
    'nginx 1.22, a large request',
    413,
    NGINX('413 Request Entity Too Large'),
    'a program in front of the server replied 413 Payload Too Large: a page ("413 Request Entity Too Large")',
    'client_max_body_size',
  ],
  [
    'nginx 1.22, no server behind it',
    502,
    NGINX('502 Bad Gateway'),
    'a program in front of the server replied 502 Bad Gateway: a page ("502 Bad Gateway")',
    'the server behind it does not answer',
  ],
  [
    'a filter of the site',
    403,
    '<html><title>Blocked</title></html>',
    'a program in front of the server replied 403 Forbidden: a page ("Blocked")',
    'A rule of the proxy',
  ],
  [
    'Apache, another path',
    404,
    '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><head>\n<title>404 Not Found</title>',
    'a program in front of the server replied 404 Not Found: a page ("404 Not Found")',
    'Compare the path',
  ],
  [
    'haproxy, in words',
    503,
    'upstream is down',
    'the server replied 503 Service Unavailable: upstream is down',
    undefined,
  ],
];

test.each(FAILED)('a failure of %s is in one line, with what to do', (_, status, text, words, remedy) => {
  const error = new ServiceError('list jobs', { status, text });
  expect(error.message).toBe(`list jobs: ${words}`);
  if (remedy === undefined) expect(error.remedy).toBeUndefined();
  else expect(error.remedy).toContain(remedy);
});

test('a refusal of the server itself is as it says it, whatever looks like a page in it', () => {
  const text = JSON.stringify({ error: { code: 'X', message: '<html> is no name' } });
  expect(new ServiceError('create job', { status: 422, text }).message).toBe('<html> is no name');
});
