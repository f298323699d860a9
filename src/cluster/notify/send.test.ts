import { createHmac } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { notifyFacts } from '../../../tests/support/notify-facts.ts';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { httpReceiver } from '../../../tests/support/receivers.ts';
import { digestOf } from '../../core/notify/digest.ts';
import { type MessageReceiver, receiverOf, type ReceiverTable } from '../../core/notify/receiver.ts';
import { isPrivateAddress } from './private-address.ts';
import { postMessage, publicLookup } from './post.ts';
import type { Message } from './request.ts';
import { sendMessage } from './send.ts';

const facts = notifyFacts('sweep <b> & "c"\r\nX-Evil: 1');
const message: Message = {
  key: 'k1',
  digest: digestOf(facts, [{ trigger: 'end', sentence: 'it ended: 3 completed' }]),
};
const receiver = (table: ReceiverTable): MessageReceiver => {
  const read = receiverOf('ops', table);
  if (typeof read === 'string') throw new Error(read);
  return read;
};
const send = (table: ReceiverTable, environment: Record<string, string> = {}) =>
  sendMessage(receiver(table), message, { PATH: process.env['PATH'], ...environment });

describe('a message by HTTP', () => {
  it('a webhook gets the digest as JSON with its key, signed with the secret that a file or a variable has', async () => {
    const { url, has } = await httpReceiver();
    const file = join(temporaryFolder(), 'secret');
    writeFileSync(file, 'hush\nother\n');
    expect(await send({ webhook: 'env:HOOK', secret: `file:${file}` }, { HOOK: `${url}/hook?a=b` })).toEqual({
      kind: 'sent',
    });
    const [{ path, headers, text, body }] = (await has(1)) as [Awaited<ReturnType<typeof has>>[0] & object];
    expect(path).toBe('/hook?a=b');
    expect(headers['idempotency-key']).toBe('k1');
    expect(headers['x-torc-signature']).toBe(`sha256=${createHmac('sha256', 'hush').update(text).digest('hex')}`);
    expect(headers).not.toHaveProperty('x-evil');
    expect(body).toMatchObject({ version: 1, trigger: 'end', key: 'k1', run_id: 2, jobs: { completed: 3 } });
  });

  it('ntfy, Slack and Matrix get what their services take, with nothing of the workflow in a header', async () => {
    const { url, has } = await httpReceiver();
    expect(await send({ ntfy: `${url}/topic`, token: 'tk' })).toEqual({ kind: 'sent' });
    expect(await send({ slack: `${url}/services/x` })).toEqual({ kind: 'sent' });
    expect(await send({ matrix: `${url}/!room:example.org`, token: 'tk' })).toEqual({ kind: 'sent' });
    const [ntfy, slack, matrix] = await has(3);
    expect(ntfy).toMatchObject({ path: '/', headers: { authorization: 'Bearer tk' }, body: { topic: 'topic' } });
    expect(slack?.body['text']).toContain('sweep &lt;b&gt; &amp; "c"');
    expect(matrix).toMatchObject({
      method: 'PUT',
      path: '/_matrix/client/v3/rooms/!room%3Aexample.org/send/m.room.message/k1',
      body: { msgtype: 'm.text' },
    });
  });

  it('a receiver that answers 500 or hangs is tried later, and one that refuses or redirects is not', async () => {
    const failing = await httpReceiver((response) => void response.writeHead(503, { 'Retry-After': '60' }).end());
    expect(await send({ webhook: failing.url })).toEqual({ kind: 'later', why: 'status 503', afterMs: 60_000 });
    const hanging = await httpReceiver(() => {});
    expect(
      await postMessage(receiver({ webhook: hanging.url }), message, { environment: {}, atMostMs: 200.5 }),
    ).toEqual({
      kind: 'later',
      why: 'no answer in time',
    });
    expect(await postMessage(receiver({ slack: hanging.url }), message, { environment: {}, atMostMs: 200 })).toEqual({
      kind: 'never',
      why: 'no answer in time; it may have arrived, and is not sent twice',
    });
    expect(await send({ slack: 'http://127.0.0.1:1/' })).toMatchObject({ kind: 'later' });
    const target = await httpReceiver();
    const redirecting = await httpReceiver((response) => void response.writeHead(307, { Location: target.url }).end());
    expect(await send({ webhook: redirecting.url })).toMatchObject({ kind: 'never' });
    expect(target.got).toEqual([]);
    const refusing = await httpReceiver((response) => void response.writeHead(404).end());
    expect(await send({ webhook: refusing.url })).toEqual({ kind: 'never', why: 'status 404' });
    const endless = await httpReceiver((response) => {
      const more = () => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', more);
      };
      more();
    });
    expect(await send({ webhook: endless.url })).toEqual({ kind: 'sent' });
  });

  it('a proxy of the environment is used, but for this machine and for what no_proxy names', async () => {
    const proxy = await httpReceiver();
    const environment = { http_proxy: proxy.url.slice('http://'.length), NO_PROXY: 'direct.invalid, .inside.invalid' };
    expect(await send({ webhook: 'http://ops.example.invalid/hook' }, environment)).toEqual({ kind: 'sent' });
    expect(proxy.got.map(({ path }) => path)).toEqual(['http://ops.example.invalid/hook']);
    const here = await httpReceiver();
    expect(await send({ webhook: `${here.url}/` }, environment)).toEqual({ kind: 'sent' });
    for (const host of ['direct.invalid', 'a.inside.invalid'])
      expect(await send({ webhook: `http://${host}/` }, environment)).toMatchObject({ kind: 'later' });
    expect([proxy.got.length, here.got.length]).toEqual([1, 1]);
  });

  it('what is said of a failure has neither the address nor a secret', async () => {
    const outcomes = await Promise.all([
      send({ webhook: 'http://127.0.0.1:1/s3cret-path' }),
      send({ webhook: 'env:HOOK' }, { HOOK: 'not a s3cret-url' }),
      send({ webhook: 'env:NOT_SET' }),
      send({ webhook: 'file:/nowhere/at/all' }),
      send({ webhook: 'http://user:s3cret@127.0.0.1:1/' }),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array(5).fill('later'));
    expect(JSON.stringify(outcomes)).not.toContain('s3cret');
    expect(outcomes.map((outcome) => 'why' in outcome && outcome.why).slice(2, 4)).toEqual([
      'the variable NOT_SET is not set',
      'the file /nowhere/at/all cannot be read: ENOENT',
    ]);
  });
});

describe('a host name', () => {
  it('private, local and reserved addresses are recognized, in IPv4, IPv6 and mapped', () => {
    for (const address of [
      '127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '192.168.0.1',
      '::1',
      'fe80::1',
      'fd00::1',
      '::ffff:10.0.0.1',
    ])
      expect(isPrivateAddress(address), address).toBe(true);
    for (const address of ['1.1.1.1', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])
      expect(isPrivateAddress(address), address).toBe(false);
  });

  it('a host name with a private address is refused unless that is allowed; localhost is meant as it stands', async () => {
    const lookedUp = (host: string) =>
      new Promise<string>((resolve) =>
        publicLookup(host, {}, (error, address) =>
          resolve(error === null && typeof address === 'string' ? address : (error?.code ?? '')),
        ),
      );
    expect(await lookedUp('localhost')).toMatch(/^(127\.0\.0\.1|::1)$/);
    // A name that every resolver gives this address: RFC 6761, section 6.3.
    expect(['PRIVATE_ADDRESS', 'ENOTFOUND', 'EAI_AGAIN']).toContain(await lookedUp('ops.localhost'));
  });
});

describe('a message by a program', () => {
  /** A program of this name first on PATH, which keeps its arguments and its input. */
  const program = (name: string, code = 0) => {
    const folder = temporaryFolder();
    const path = join(folder, name);
    writeFileSync(
      path,
      `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/args\ncat > ${folder}/input\necho "$APPRISE_URLS" > ${folder}/address\nexit ${code}\n`,
    );
    chmodSync(path, 0o755);
    const read = (file: string) => readFileSync(join(folder, file), 'utf8');
    return { environment: { PATH: `${folder}:${process.env['PATH']}` }, folder, read };
  };

  it('sendmail gets a message in which a name cannot add a header or a receiver', async () => {
    const { environment, read } = program('sendmail');
    expect(await send({ mail: ['ada@example.org'] }, environment)).toEqual({ kind: 'sent' });
    expect(read('args')).toBe('-i\n--\nada@example.org\n');
    const [head = '', body = ''] = read('input').split('\n\n');
    expect(head.split('\n').map((line) => line.split(':')[0])).toEqual([
      'From',
      'To',
      'Subject',
      'Date',
      'Message-ID',
      'MIME-Version',
      'Content-Type',
      'Content-Transfer-Encoding',
      'Auto-Submitted',
    ]);
    expect(head).toContain('Message-ID: <k1@torc.invalid>');
    expect(Buffer.from(body, 'base64').toString()).toContain('- it ended: 3 completed\n');
  });

  it('a desktop, a command and Apprise get it, and no address stands among arguments', async () => {
    const desktop = program('notify-send');
    expect(await send({ desktop: true }, desktop.environment)).toEqual({ kind: 'sent' });
    expect(desktop.read('args')).toMatch(/^--app-name=torc\n--\ntorc: sweep/);
    const apprise = program('apprise');
    expect(await send({ apprise: 'tgram://s3cret/chat' }, apprise.environment)).toEqual({ kind: 'sent' });
    expect(apprise.read('args')).not.toContain('s3cret');
    expect(apprise.read('address')).toBe('tgram://s3cret/chat\n');
    const folder = temporaryFolder();
    const out = join(folder, 'out');
    expect(await send({ command: ['sh', '-c', `cat > ${out}; echo "$TORC_MESSAGE_TRIGGER" >> ${out}`] })).toEqual({
      kind: 'sent',
    });
    const [json = '', trigger] = readFileSync(out, 'utf8').split('\n');
    expect([JSON.parse(json), trigger]).toEqual([expect.objectContaining({ trigger: 'end', key: 'k1' }), 'end']);
  });

  it('a program that is not installed is said once, and one that fails is tried again', async () => {
    const empty = { PATH: temporaryFolder() };
    expect(await send({ desktop: true }, empty)).toEqual({
      kind: 'never',
      why: 'the program for desktop is not installed',
    });
    const failing = program('sendmail', 75);
    expect(await send({ mail: ['ada@example.org'] }, failing.environment)).toEqual({
      kind: 'later',
      why: 'exit code 75',
    });
    expect(existsSync(join(failing.folder, 'input'))).toBe(true);
  });
});
