import type { LookupAddress } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { knowsRepeats, type MessageReceiver } from '../../core/notify/receiver.ts';
import { type Message, notifyRequestOf } from './request.ts';
import { type SendOutcome, outcomeOfStatus } from '../../core/notify/retry.ts';
import { listValue } from '../../core/text/list-value.ts';
import { isPrivateAddress } from './private-address.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A receiver that takes longer is tried again later: others wait behind it. */
const AT_MOST_MS = 10_000;
/** The answer is not used; one that never ends is cut. */
const MOST_ANSWER = 64 * 1024;

/** Sends a message by HTTP once. No redirect is followed. Never throws: the outcome has the reason, without the address. */
export async function postMessage(
  receiver: MessageReceiver,
  message: Message,
  {
    environment,
    atMostMs = AT_MOST_MS,
    stop,
  }: {
    readonly environment: Environment;
    readonly atMostMs?: number | undefined;
    readonly stop?: AbortSignal | undefined;
  },
): Promise<SendOutcome> {
  const { method, url: text, headers, body } = notifyRequestOf(receiver, message);
  const url = new URL(text);
  const isSecure = url.protocol === 'https:';
  // Not imported: see telemetry/send/http.ts.
  const { request: open, Agent } = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
  const proxy = proxyOf(url, environment);
  const signature = receiver.secret === undefined ? {} : { 'X-Torc-Signature': signed(receiver.secret, body) };
  const login =
    url.username === '' ? {} : { auth: `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}` };
  const options = {
    method,
    ...login,
    agent: proxy === undefined ? (false as const) : new Agent({ proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } }),
    headers: { ...headers, ...signature, 'Content-Length': Buffer.byteLength(body) },
    signal: AbortSignal.any([
      AbortSignal.timeout(Math.max(1, Math.ceil(atMostMs))),
      ...(stop === undefined ? [] : [stop]),
    ]),
    // A proxy resolves names itself, and its own address is private at most sites.
    ...(receiver.isPrivate || proxy !== undefined ? {} : { lookup: publicLookup }),
  };
  return new Promise((resolve) => {
    // Whether it arrived is not known any more: chats would show it twice.
    let isOut = false;
    const fail = (error: NodeJS.ErrnoException) =>
      resolve(isOut && !knowsRepeats(receiver) ? { kind: 'never', why: IN_DOUBT } : outcomeOfError(error));
    const sent = open(url, options, (answer: IncomingMessage) => {
      let size = 0;
      const done = () => resolve(outcomeOfStatus(answer.statusCode ?? 0, answer.headers['retry-after']));
      answer.on('data', (part: Buffer) => {
        size += part.length;
        if (size <= MOST_ANSWER) return;
        done();
        answer.destroy();
      });
      answer.on('end', done);
      answer.on('error', fail);
    });
    sent.on('error', fail);
    sent.on('finish', () => (isOut = true));
    sent.end(body);
  });
}

/** The proxy for a URL by the usual variables; undefined for this machine, and for what `no_proxy` names. */
function proxyOf({ protocol, hostname }: URL, environment: Environment): string | undefined {
  const named = (name: string) => environment[name] || environment[name.toUpperCase()] || undefined;
  const proxy = named(protocol === 'https:' ? 'https_proxy' : 'http_proxy');
  if (proxy === undefined || /^(localhost|127\.|\[::1\])/.test(hostname)) return undefined;
  const direct = listValue(named('no_proxy') ?? '').map((each) => each.trim().replace(/^\*?\./, ''));
  if (direct.some((each) => each === '*' || hostname === each || hostname.endsWith(`.${each}`))) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

/** Signs a body as GitHub does: `sha256=` and the HMAC in hexadecimal digits. The body has the key and the time of the message. */
const signed = (secret: string, body: string): string =>
  `sha256=${process.getBuiltinModule('node:crypto').createHmac('sha256', secret).update(body).digest('hex')}`;

const IN_DOUBT = 'no answer in time; it may have arrived, and is not sent twice';
const PRIVATE = 'its host name has a private address; private = true allows that';

function outcomeOfError({ code, name }: NodeJS.ErrnoException): SendOutcome {
  if (code === 'PRIVATE_ADDRESS') return { kind: 'never', why: PRIVATE };
  if (name === 'TimeoutError' || name === 'AbortError' || code === 'ABORT_ERR')
    return { kind: 'later', why: 'no answer in time' };
  return { kind: 'later', why: `it cannot be reached (${code ?? name})` };
}

/** Resolves a host name and refuses private addresses: who controls a name could point it at a service of this network. */
export const publicLookup: LookupFunction = (host, options, callback) => {
  const { lookup } = process.getBuiltinModule('node:dns');
  lookup(host, { ...options, all: true }, (error, found: LookupAddress[]) => {
    const [first] = found ?? [];
    if (error !== null || first === undefined) return callback(error, '', 4);
    // `localhost` is named by who configures it, as an address in digits is.
    if (host !== 'localhost' && found.some(({ address }) => isPrivateAddress(address)))
      return callback(Object.assign(new Error(PRIVATE), { code: 'PRIVATE_ADDRESS' }), '', 4);
    return options.all === true ? callback(null, found) : callback(null, first.address, first.family);
  });
};
