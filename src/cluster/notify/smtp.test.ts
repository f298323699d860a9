import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { notifyFacts } from '../../../tests/support/notify-facts.ts';
import { digestOf } from '../../core/notify/digest.ts';
import { type MessageReceiver, receiverOf } from '../../core/notify/receiver.ts';
import { sendOverNetwork } from './over-network.ts';

interface Sink {
  readonly port: number;
  /** Commands and whole mails, as they arrived. */
  readonly lines: string[];
  readonly mails: string[];
}

/** A mail server on this machine that keeps what it gets. `answer` replaces the usual answer to a command. */
async function smtpSink(answer: (command: string) => string | undefined = () => undefined): Promise<Sink> {
  const [lines, mails]: [string[], string[]] = [[], []];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let [rest, isData] = ['', false];
    const say = (line: string) => socket.write(`${line}\r\n`);
    say('220 sink ESMTP');
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (part: string) => {
      rest += part;
      for (;;) {
        const end = rest.indexOf(isData ? '\r\n.\r\n' : '\r\n');
        if (end === -1) return;
        const whole = rest.slice(0, end);
        rest = rest.slice(end + (isData ? 5 : 2));
        if (isData) {
          mails.push(whole);
          isData = false;
          say('250 kept');
          continue;
        }
        lines.push(whole);
        const other = answer(whole);
        if (other !== undefined) say(other);
        else if (/^EHLO/i.test(whole)) socket.write('250-sink\r\n250 AUTH PLAIN\r\n');
        else if (/^AUTH/i.test(whole)) say('235 in');
        else if (/^DATA/i.test(whole)) {
          isData = true;
          say('354 go on');
        } else if (/^QUIT/i.test(whole)) socket.end('221 bye\r\n');
        else say('250 ok');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, lines, mails };
}

const facts = notifyFacts('über\r\nBcc: eve@example.org\r\n\r\nfalse body');
const message = { key: 'k1', digest: digestOf(facts, [{ trigger: 'end', sentence: 'it ended: 3 completed' }]) };
const send = (port: number, more: object = {}, atMostMs?: number) =>
  sendOverNetwork(
    receiverOf('ops', {
      mail: ['ada@example.org', 'bob@example.org'],
      smtp: `smtp://127.0.0.1:${port}`,
      from: 'torc@example.org',
      ...more,
    }) as MessageReceiver,
    message,
    { MAIL_PASSWORD: 's3cret' },
    atMostMs,
  );

// Installed beside torc by those who need it, and by `npm ci` here.
const isInstalled = existsSync(join(import.meta.dirname, '../../../node_modules/nodemailer'));

describe.skipIf(!isInstalled)('a message by SMTP', () => {
  it('a mail server gets one mail to all addresses, in which a name cannot add a header', async () => {
    const sink = await smtpSink();
    expect(await send(sink.port)).toEqual({ kind: 'sent' });
    expect(sink.lines.filter((line) => /^(MAIL|RCPT)/.test(line))).toEqual([
      'MAIL FROM:<torc@example.org>',
      'RCPT TO:<ada@example.org>',
      'RCPT TO:<bob@example.org>',
    ]);
    const [head = '', body = ''] = (sink.mails[0] ?? '').split('\r\n\r\n');
    expect(head).toContain('Message-ID: <k1@torc.invalid>');
    expect(head).toMatch(/^Subject: =\?UTF-8\?/m);
    expect(head).not.toMatch(/^Bcc:/im);
    expect(body).toContain('it ended: 3 completed');
    expect(sink.mails).toHaveLength(1);
  });

  it('a password from a variable logs in, and one that is refused is tried again later without being named', async () => {
    const login = { smtp: undefined, password: 'env:MAIL_PASSWORD' };
    const sink = await smtpSink();
    expect(await send(sink.port, { ...login, smtp: `smtp://ada@127.0.0.1:${sink.port}` })).toEqual({ kind: 'sent' });
    const plain = sink.lines.find((line) => line.startsWith('AUTH PLAIN'))?.split(' ')[2] ?? '';
    expect(Buffer.from(plain, 'base64').toString()).toBe('\0ada\0s3cret');
    const refusing = await smtpSink((line) => (line.startsWith('AUTH') ? '535 no s3cret' : undefined));
    const refused = await send(refusing.port, { ...login, smtp: `smtp://ada@127.0.0.1:${refusing.port}` });
    expect(refused).toEqual({ kind: 'later', why: 'status 535' });
  });

  it('a status of 5xx is for good, one of 4xx and a server that hangs or is away are tried later', async () => {
    const unknown = await smtpSink((line) =>
      line.startsWith('RCPT') ? '550 no such user ada@example.org' : undefined,
    );
    expect(await send(unknown.port)).toEqual({ kind: 'never', why: 'status 550' });
    const busy = await smtpSink((line) => (line.startsWith('MAIL') ? '451 later' : undefined));
    expect(await send(busy.port)).toEqual({ kind: 'later', why: 'status 451' });
    const hanging = await smtpSink((line) => (line.startsWith('MAIL') ? '' : undefined));
    expect(await send(hanging.port, {}, 300.5)).toMatchObject({ kind: 'later' });
    expect(await send(1)).toEqual({ kind: 'later', why: 'the mail server cannot be used (ESOCKET)' });
  });
});
