/**
 * What a person can do about a connection that failed because of TLS; nothing for other failures.
 *
 * The runtime names the rule that was broken (`DEPTH_ZERO_SELF_SIGNED_CERT`); the sentences name the options of torc.
 */
export function connectionAdvice(cause: unknown, url: string): string | undefined {
  const {
    code = '',
    reason = '',
    message = '',
  } = (cause ?? {}) as { code?: string; reason?: string; message?: string };
  const { protocol, hostname, port } = new URL(url);
  if (UNTRUSTED.has(code)) {
    return (
      'This machine does not trust the certificate of the server. Give the certificate, or the one of the authority that ' +
      'signed it, as a PEM file: --tls-ca-cert FILE (TORC_TLS_CA_CERT). If FILE has that of the root alone, the server does not ' +
      'send those between: add them to FILE, or to --tls-cert of the server. What it sends: ' +
      `openssl s_client -showcerts -connect ${hostname}:${port || 443} </dev/null. --tls-insecure accepts any certificate.`
    );
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = /cert's altnames: (.*)$/.exec(reason)?.[1] ?? /cert's CN: (.*)$/.exec(reason)?.[1];
    return (
      `The certificate of the server is not for the name ${hostname}${names === undefined ? '' : `, but for ${names}`}. ` +
      'Use a name of the certificate in --url (TORC_API_URL). --tls-insecure accepts any certificate.'
    );
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    const state = code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet';
    return (
      `The certificate of the server ${state}. Renew it where the server runs (torc-server run --tls-cert), and compare the ` +
      'clocks of both machines. --tls-insecure accepts any certificate.'
    );
  }
  if (
    protocol === 'https:' &&
    (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || /wrong version number|packet length too long/.test(message))
  )
    return `The server does not speak TLS. Write http:// in --url (TORC_API_URL): ${url.replace(/^https:/, 'http:')}`;
  // A server that speaks TLS answers plain HTTP with an alert, or closes the connection.
  if (protocol === 'http:' && (code.startsWith('HPE_') || code === 'ECONNRESET'))
    return (
      'The server ended the connection, as one that speaks TLS does. If it does, write https:// in --url ' +
      `(TORC_API_URL): ${url.replace(/^http:/, 'https:')}`
    );
  return undefined;
}

/** No certificate that is trusted has signed the one of the server. */
export const isUntrusted = (cause: unknown): boolean =>
  UNTRUSTED.has((cause as { code?: string } | undefined)?.code ?? '');

const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_UNTRUSTED',
]);
