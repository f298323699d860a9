import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { anotherProgram, type HttpAnswer } from '../../client/another-program.ts';
import type { Delivery } from './outbox.ts';
import type { Packet } from './packet.ts';

const compressed = promisify(gzip);

export interface HttpTarget {
  /** Messages go to `<root>/[prefix.]<type>`. */
  readonly root: string;
  readonly prefix: string;
  /** Of the user with the name of the cluster; undefined: no login is sent. */
  readonly password: string | undefined;
  /** Certificates that sign the one of the receiver. */
  readonly caFile: string | undefined;
  readonly proxy: string | undefined;
  readonly atMostMs?: number;
}

const AT_MOST_MS = 60_000;

/** Delivers messages by POST. */
export function createHttpDelivery(target: HttpTarget): (packet: Packet) => Promise<Delivery> {
  const send = createPost(target);
  const prefix = target.prefix === '' ? '' : `${target.prefix}.`;
  const loginOf = (cluster: string) =>
    target.password === undefined
      ? {}
      : { Authorization: `Basic ${Buffer.from(`${cluster}:${target.password}`).toString('base64')}` };
  return ({ type, cluster, text }) => send(`${prefix}${type}`, text, loginOf(cluster));
}

/** Sends texts of JSON by POST, packed with gzip, to paths below the root of a receiver. */
export function createPost(
  target: Pick<HttpTarget, 'root'> & Partial<Pick<HttpTarget, 'caFile' | 'proxy' | 'atMostMs'>>,
): (path: string, text: string, headers: Readonly<Record<string, string>>) => Promise<Delivery> {
  const root = new URL(target.root.endsWith('/') ? target.root : `${target.root}/`);
  const ca = target.caFile === undefined ? undefined : readFileSync(target.caFile);
  const proxy = target.proxy === undefined ? undefined : withScheme(target.proxy);
  const proxyEnv = proxy === undefined ? undefined : { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
  const options = { keepAlive: true, ...(proxyEnv === undefined ? {} : { proxyEnv }) };
  const agent = new (moduleFor(root).Agent)({ ...options, ...(ca === undefined ? {} : { ca }) });

  return async (path, text, headers) => {
    const body = await compressed(text);
    const url = new URL(path, root);
    const answer = await post(url, body, {
      agent,
      headers: {
        'Content-Type': 'application/json',
        'Content-Encoding': 'gzip',
        'Content-Length': body.length,
        ...headers,
      },
      atMostMs: target.atMostMs ?? AT_MOST_MS,
    });
    const { status, text: replied } = answer;
    const another = anotherProgram(answer);
    const said = another === undefined ? replied : `${another}, which is not of a receiver`;
    return deliveryOf(status, `${url.href} answered ${status}${said === '' ? '' : `: ${said}`}`, another !== undefined);
  };
}

/**
 * What an answer means. A message is dropped only where the receiver says that the message itself is wrong. A wrong password or
 * address will be corrected, and messages wait for that; so they do where another program answers, such as a portal with its login
 * page. What is too large for a proxy is so for good.
 */
export function deliveryOf(status: number, reason: string, isAnother = false): Delivery {
  if (status >= 200 && status < 300 && !isAnother) return { kind: 'delivered' };
  const isWrong = status === 413 || ((status === 400 || status === 422) && !isAnother);
  return { kind: isWrong ? 'refused' : 'later', reason };
}

/**
 * Not imported: an import of node:http reads all its exports, one of which loads a second client, with WebAssembly: 16 MB and
 * 50 ms. TLS is 9 MB, which plain HTTP does not need.
 */
const moduleFor = ({ protocol }: URL) => process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');

/** As much of an answer as a person wants to read. */
const SHOWN = 300;

function post(
  url: URL,
  body: Buffer,
  { agent, headers, atMostMs }: Pick<RequestOptions, 'agent' | 'headers'> & { readonly atMostMs: number },
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(atMostMs);
    const request = moduleFor(url).request(
      url,
      { method: 'POST', agent, headers, signal },
      (answer: IncomingMessage) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => (text = (text + part).slice(0, SHOWN)));
        const { statusCode: status = 0, headers } = answer;
        answer.on('end', () =>
          resolve({ status, text: text.trim().replaceAll(/\s+/g, ' '), location: headers.location }),
        );
        answer.on('error', reject);
      },
    );
    request.on('error', (error) =>
      reject(new Error(`${url.origin} cannot be reached: ${signal.aborted ? 'no answer in time' : error.message}`)),
    );
    request.end(body);
  });
}

const withScheme = (proxy: string): string => (/^\w+:\/\//.test(proxy) ? proxy : `http://${proxy}`);
