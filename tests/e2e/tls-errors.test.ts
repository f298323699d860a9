import { exec, execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { missingInChain } from '../../src/cli/commands/server/certificate-chain.ts';
import { startServer, temporaryFolder, torc } from '../support/programs.ts';
import { said } from '../support/words.ts';

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

interface Certificate {
  readonly key: string;
  readonly certificate: string;
}

/** Words of `openssl req` that make a key. */
const newKey = (name: string) =>
  `-nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -keyout ${name}.key`.split(' ');

/** Runs openssl in a folder. */
const opensslIn =
  (cwd: string) =>
  (...words: string[]) =>
    execFileSync('openssl', words, { cwd, stdio: 'ignore' });

/** A certificate that is signed by itself alone, for a host, valid between two dates. */
function certificateFor(host: string, from: string, until: string): Certificate {
  const cwd = temporaryFolder();
  const openssl = opensslIn(cwd);
  const request = [...newKey('key'), '-out', 'request.pem'];
  openssl('req', '-new', ...request, '-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`);
  // Of the commands of openssl only `ca` takes dates of the past.
  const settings = [
    '[ca]\ndefault_ca=own\n[own]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256',
    'policy=names\nunique_subject=no\ncopy_extensions=copy\n[names]\ncommonName=supplied\n',
  ];
  writeFileSync(join(cwd, 'settings'), settings.join('\n'));
  writeFileSync(join(cwd, 'index'), '');
  writeFileSync(join(cwd, 'serial'), '01\n');
  const dates = ['-startdate', from, '-enddate', until];
  const files = ['-keyfile', 'key.key', '-in', 'request.pem', '-out', 'certificate.pem', '-notext'];
  openssl('ca', '-batch', '-selfsign', '-config', 'settings', ...dates, ...files);
  return { key: join(cwd, 'key.key'), certificate: join(cwd, 'certificate.pem') };
}

const NOW = '20240101000000Z';
const LATER = '21240101000000Z';

async function listening(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A server that answers every request as torc's answers a ping. */
const answer = (_request: unknown, response: { end(text: string): unknown }) =>
  void response.end('{"status":"Server is running"}');

const serving = ({ key, certificate }: Certificate): Promise<number> =>
  listening(createHttpsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, answer));

const ping = (url: string, ...words: string[]) =>
  said(['ping', '--skip-version-check', '--url', `${url}/torc-service/v1`, ...words], {});

describe.skipIf(!hasOpenssl)('a connection that fails because of TLS (needs openssl)', () => {
  it('a connection that fails because of TLS names --tls-ca-cert when the certificate is not trusted, and works with it', async () => {
    const own = certificateFor('localhost', NOW, LATER);
    const url = `https://localhost:${await serving(own)}`;
    const { code, stderr } = await ping(url);
    expect(code).toBe(1);
    expect(stderr).toContain('--tls-ca-cert FILE (TORC_TLS_CA_CERT)');
    expect(stderr).not.toContain('Is the server running');
    expect(await ping(url, '--tls-ca-cert', own.certificate)).toMatchObject({ code: 0 });
    expect(await ping(url, '--tls-insecure')).toMatchObject({ code: 0 });
    const other = certificateFor('localhost', NOW, LATER);
    const mistaken = await ping(url, '--tls-ca-cert', other.certificate);
    expect(mistaken.code).toBe(1);
    expect(mistaken.stderr).toContain('--tls-ca-cert FILE');
  });

  it('a connection that fails because of TLS names the host that the certificate is for', async () => {
    const own = certificateFor('login.example.org', NOW, LATER);
    const { code, stderr } = await ping(`https://localhost:${await serving(own)}`, '--tls-ca-cert', own.certificate);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'is not for the name localhost, but for DNS:login.example.org. Use a name of the certificate',
    );
  });

  it('a connection that fails because of TLS says that the certificate has expired', async () => {
    const own = certificateFor('localhost', '20200101000000Z', '20210101000000Z');
    const { code, stderr } = await ping(`https://localhost:${await serving(own)}`, '--tls-ca-cert', own.certificate);
    expect(code).toBe(1);
    expect(stderr).toContain('The certificate of the server has expired. Renew it');
  });

  it('a connection that fails because of TLS says to write https:// where the server speaks TLS', async () => {
    const port = await serving(certificateFor('localhost', NOW, LATER));
    const { code, stderr } = await ping(`http://localhost:${port}`);
    expect(code).toBe(1);
    expect(stderr).toContain(`write https:// in --url (TORC_API_URL): https://localhost:${port}/torc-service/v1`);
  });
});

/** A root authority, a signer that it signed, and a server whose certificate that signer signed; `chain` is that certificate with the signer's. */
function signedCertificates() {
  const cwd = temporaryFolder();
  const openssl = opensslIn(cwd);
  writeFileSync(join(cwd, 'signer.ext'), 'basicConstraints=critical,CA:TRUE\n');
  writeFileSync(join(cwd, 'leaf.ext'), 'subjectAltName=DNS:localhost\n');
  openssl('req', '-x509', ...newKey('root'), '-out', 'root.pem', '-days', '9', '-subj', '/CN=Site Root');
  for (const [name, subject, by] of [
    ['signer', 'Site Signer', 'root'],
    ['leaf', 'localhost', 'signer'],
  ] as const) {
    openssl('req', '-new', ...newKey(name), '-out', `${name}.csr`, '-subj', `/CN=${subject}`);
    const from = ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial'];
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...from,
      '-out',
      `${name}.pem`,
      '-days',
      '9',
      '-extfile',
      `${name}.ext`,
    );
  }
  const read = (name: string) => readFileSync(join(cwd, `${name}.pem`), 'utf8');
  writeFileSync(join(cwd, 'chain.pem'), read('leaf') + read('signer'));
  writeFileSync(join(cwd, 'between.pem'), read('root') + read('signer'));
  return { cwd, path: (name: string) => join(cwd, `${name}.pem`) };
}

describe.skipIf(!hasOpenssl)('a certificate that an authority of the site has signed (needs openssl)', () => {
  it('what the advice about a certificate names works: the certificate itself, that of its signer, or that of the root', async () => {
    const { cwd, path } = signedCertificates();
    const url = (served: string) =>
      serving({ key: join(cwd, 'leaf.key'), certificate: path(served) }).then((port) => `https://localhost:${port}`);
    const [whole, alone] = [await url('chain'), await url('leaf')];
    for (const trusted of ['leaf', 'signer', 'root', 'chain'])
      expect([trusted, await ping(whole, '--tls-ca-cert', path(trusted))]).toMatchObject([trusted, { code: 0 }]);
    for (const trusted of ['leaf', 'signer', 'chain', 'between'])
      expect([trusted, await ping(alone, '--tls-ca-cert', path(trusted))]).toMatchObject([trusted, { code: 0 }]);
    const refused = await ping(alone, '--tls-ca-cert', path('root'));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('If FILE has that of the root alone, the server does not send those between');
    const sent = /openssl s_client -showcerts -connect (\S+)/.exec(refused.stderr)?.[1] ?? '';
    const { stdout } = await promisify(exec)(`openssl s_client -showcerts -connect ${sent} </dev/null`);
    writeFileSync(path('sent'), stdout);
    expect(await ping(alone, '--tls-ca-cert', path('sent'))).toMatchObject({ code: 0 });
  });

  it('a root that this machine trusts need not be named, and one that it does not trust is refused', async () => {
    const { cwd, path } = signedCertificates();
    const port = await serving({ key: join(cwd, 'leaf.key'), certificate: path('chain') });
    const words = ['ping', '--skip-version-check', '--url', `https://localhost:${port}/torc-service/v1`];
    const environment = { SSL_CERT_FILE: path('root') };
    expect(await torc(words, { cwd, environment })).toMatchObject({ code: 0 });
    expect(await torc(words, { cwd, environment: { SSL_CERT_FILE: path('nothing') } })).toMatchObject({ code: 1 });
  });

  it('a server says at its start that its file lacks the certificate of the signer, and says nothing of a whole chain', async () => {
    const { path } = signedCertificates();
    const roots = [readFileSync(path('root'), 'utf8')];
    expect(missingInChain(path('leaf'), roots)).toContain('ends with a certificate that "Site Signer" signed');
    expect(missingInChain(path('chain'), [])).toContain('ends with a certificate that "Site Root" signed');
    expect(missingInChain(path('chain'), roots)).toBeUndefined();
    expect(missingInChain(path('root'), [])).toBeUndefined();
    // What cannot be read stops no start by this look, and a root that cannot be read is none.
    const damaged = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    expect(missingInChain(path('chain'), [damaged, ...roots])).toBeUndefined();
    writeFileSync(path('damaged'), readFileSync(path('leaf'), 'utf8') + damaged);
    expect(missingInChain(path('damaged'), roots)).toContain('cannot be read');
    const { cwd } = signedCertificates();
    const server = await startServer(cwd, { more: ['--https', '--tls-cert', 'leaf.pem', '--tls-key', 'leaf.key'] });
    await server.program.says('leaf.pem ends with a certificate that "Site Signer" signed');
  });
});

it('a connection by TLS to a server of plain HTTP says to write http://', async () => {
  const port = await listening(createHttpServer(answer));
  const { code, stderr } = await ping(`https://localhost:${port}`);
  expect(code).toBe(1);
  expect(stderr).toContain(`Write http:// in --url (TORC_API_URL): http://localhost:${port}/torc-service/v1`);
});

it('a connection without a server asks whether the server runs, and says nothing of TLS', async () => {
  const server = createHttpServer(answer);
  const port = await listening(server);
  await new Promise((done) => server.close(done));
  const { code, stderr } = await ping(`http://localhost:${port}`);
  expect(code).toBe(1);
  expect(stderr).toContain('Is the server running');
  expect(stderr).not.toContain('https://');
});
