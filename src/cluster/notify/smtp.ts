import { hostname } from 'node:os';
import { digestSubject, digestText } from '../../core/notify/digest.ts';
import type { MessageReceiver } from '../../core/notify/receiver.ts';
import type { SendOutcome } from '../../core/notify/retry.ts';
import { loadLibrary } from '../additions/folder.ts';
import type { Message } from './request.ts';

/** The part of the library `nodemailer` that is used: it is installed beside torc, and loaded with the first mail. */
interface MailLibrary {
  createTransport(options: object): {
    sendMail(mail: object): Promise<unknown>;
    close(): void;
  };
}

/** Not a constant: what builds and checks the program would look for a library that need not be there. */
const LIBRARY: string = 'nodemailer';
const MISSING = 'mail by SMTP needs a library: torc add mail';

const AT_MOST_MS = 15_000;

/** Sends a message by SMTP once. Never throws: the outcome has the status of the server or the code of an error, and no address. */
export async function sendBySmtp(
  { address, smtp = '', password, from }: MessageReceiver,
  { key, digest }: Message,
  atMostMs = AT_MOST_MS,
  stop?: AbortSignal,
): Promise<SendOutcome> {
  let library: MailLibrary;
  try {
    const load = async () => (await import(LIBRARY)) as MailLibrary & { readonly default?: MailLibrary };
    const loaded = await loadLibrary(LIBRARY, load);
    library = loaded.default ?? loaded;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
    return { kind: 'never', why: isMissing ? MISSING : (error as Error).message };
  }
  const url = new URL(smtp);
  const user = decodeURIComponent(url.username);
  const isSecure = url.protocol === 'smtps:';
  const isHere = /^(localhost|127\.|\[::1\])/.test(url.hostname);
  const timeout = Math.max(1, Math.ceil(atMostMs));
  const transport = library.createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (isSecure ? 465 : 587),
    secure: isSecure,
    // A password is not sent in plain text over a network, whatever the server offers.
    requireTLS: !isSecure && password !== undefined && !isHere,
    ...(user === '' ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    // A mail never gets content from files or addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const late = new Promise<'late'>((resolve) => {
    for (const signal of [AbortSignal.timeout(timeout), ...(stop === undefined ? [] : [stop])])
      signal.addEventListener('abort', () => resolve('late'), { once: true });
  });
  try {
    const sent = transport.sendMail({
      from: from ?? `torc@${hostname()}`,
      to: address.split(',').map((each) => each.trim()),
      subject: digestSubject(digest),
      text: digestText(digest),
      messageId: `<${key}@torc.invalid>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    // One that is given up may still fail: that is known then.
    sent.catch(() => {});
    return (await Promise.race([sent, late])) === 'late'
      ? { kind: 'later', why: 'no answer in time' }
      : { kind: 'sent' };
  } catch (error) {
    return outcomeOfSmtp(error as SmtpError);
  } finally {
    transport.close();
  }
}

type SmtpError = NodeJS.ErrnoException & { readonly responseCode?: number };

/** A status of 5xx is for good (RFC 5321, section 4.2.1), but for a login: a password will be corrected. */
function outcomeOfSmtp({ code, responseCode }: SmtpError): SendOutcome {
  const why =
    responseCode === undefined ? `the mail server cannot be used (${code ?? 'error'})` : `status ${responseCode}`;
  const isForGood = responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH';
  return { kind: isForGood ? 'never' : 'later', why };
}
