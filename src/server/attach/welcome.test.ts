import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { isProof, credentialProofOf } from './proof.ts';
import { asksToAttach, createWelcome } from './welcome.ts';

const CREDENTIAL = 'secret';
const NONCE = '00ff';

async function serverThatWelcomes() {
  const welcome = createWelcome(CREDENTIAL);
  const server = createServer({ shouldUpgradeCallback: asksToAttach }, (_, outgoing) => outgoing.end('answered'));
  welcome.listenOn(server);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    welcome.close();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  /** Sends a request to attach; gives the connection with what was said on it so far. */
  const ask = (headers: string, path = '/torc-service/v1/attach') => {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let heard = '';
    const closed = new Promise<string>((resolve) => void socket.once('close', () => resolve(heard)));
    socket.on('error', () => {});
    const first = new Promise<string>((resolve) => {
      socket.setEncoding('utf8').on('data', (text: string) => {
        heard += text;
        resolve(heard);
      });
    });
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: torc-attach\r\n${headers}\r\n`,
    );
    return { socket, first, closed };
  };
  return { welcome, port, ask };
}

const good = `Torc-Nonce: ${NONCE}\r\nTorc-Proof: ${credentialProofOf('client', CREDENTIAL, NONCE)}\r\n`;

it('a command that proves that it knows the credential is attached, and the server proves the same', async () => {
  const { welcome, ask } = await serverThatWelcomes();
  const { first } = ask(good);
  expect(await first).toContain(`Torc-Proof: ${credentialProofOf('server', CREDENTIAL, NONCE)}`);
  expect(welcome.count()).toBe(1);
});

it.each([
  ['no proof', ''],
  ['a proof without a nonce', `Torc-Proof: ${credentialProofOf('client', CREDENTIAL, NONCE)}\r\n`],
  [
    'the proof of another credential',
    `Torc-Nonce: ${NONCE}\r\nTorc-Proof: ${credentialProofOf('client', 'other', NONCE)}\r\n`,
  ],
  [
    'the proof of the server',
    `Torc-Nonce: ${NONCE}\r\nTorc-Proof: ${credentialProofOf('server', CREDENTIAL, NONCE)}\r\n`,
  ],
])('a stranger with %s is refused, and learns nothing', async (_, headers) => {
  const { welcome, ask } = await serverThatWelcomes();
  const heard = await ask(headers).closed;
  expect(heard).toMatch(/^HTTP\/1\.1 401 /);
  expect(heard).not.toContain('Torc-Proof');
  expect(welcome.count()).toBe(0);
});

it('a request for another upgrade is answered as if it did not ask for it', async () => {
  const { port } = await serverThatWelcomes();
  const text = await new Promise<string>((resolve) => {
    request({ port, host: '127.0.0.1', headers: { Connection: 'Upgrade', Upgrade: 'h2c' } }, (answer) => {
      answer.setEncoding('utf8').on('data', resolve);
    }).end();
  });
  expect(text).toBe('answered');
});

it('none() resolves when the last command has left, which hears that the server ends; the one before does not', async () => {
  const { welcome, ask } = await serverThatWelcomes();
  const [one, other] = [ask(good), ask(good)];
  await Promise.all([one.first, other.first]);
  let isOver = false;
  const over = welcome.none().then(() => (isOver = true));
  one.socket.end();
  expect(await one.closed).not.toContain('ending');
  expect(isOver).toBe(false);
  other.socket.end();
  expect(await other.closed).toMatch(/ending\n$/);
  await over;
  expect(await ask(good).closed).toMatch(/^HTTP\/1\.1 503 /);
});

it('a command that is killed has left', async () => {
  const { welcome, ask } = await serverThatWelcomes();
  const { socket, first } = ask(good);
  await first;
  const over = welcome.none();
  socket.resetAndDestroy();
  await over;
  expect(welcome.count()).toBe(0);
});

it('a proof is of one side, one nonce and one credential', () => {
  const proof = credentialProofOf('client', CREDENTIAL, NONCE);
  expect(isProof(proof, 'client', CREDENTIAL, NONCE)).toBe(true);
  for (const [side, credential, nonce] of [
    ['server', CREDENTIAL, NONCE],
    ['client', 'other', NONCE],
    ['client', CREDENTIAL, '00fe'],
  ] as const)
    expect(isProof(proof, side, credential, nonce)).toBe(false);
  for (const given of [undefined, '', proof.slice(1), [proof]])
    expect(isProof(given, 'client', CREDENTIAL, NONCE)).toBe(false);
});
