import type { IncomingMessage, RequestListener } from 'node:http';
import { isSecret } from '../cluster/secret.ts';
import { Refusal } from '../core/contract/refusals.ts';
import { answerRefusal } from './answer.ts';

/** The field of a start address that has the key. */
const FIELD = 'key';

/** What a start address has behind its path. */
export const startQuery = (key: string): string => `?${FIELD}=${key}`;

/** Cookies know no ports: each program of this machine has a name of its own. */
const nameFor = ({ socket }: IncomingMessage) => `torc-dash-${socket.localPort}`;

/**
 * Answers only browsers that opened the start address, which has a secret key: a cookie for a proxy would
 * otherwise be sent for every user of this machine. The browser keeps the key as a cookie, which the server never gets.
 */
export function behindStartKey(key: string, listener: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    const name = nameFor(incoming);
    const url = URL.parse(incoming.url ?? '/', 'http://dash.invalid');
    if (incoming.method === 'GET' && isSecret(url?.searchParams.get(FIELD) ?? '', key)) {
      const cookie = `${name}=${key}; Path=/; HttpOnly; SameSite=Strict`;
      // Without a fragment of its own: the browser keeps the one that it has, the start token of the server.
      outgoing.writeHead(303, { Location: '/', 'Set-Cookie': cookie, 'Cache-Control': 'no-store' }).end();
      return;
    }
    const cookies = (incoming.headers.cookie ?? '').split(/; */).filter((each) => each !== '');
    const own = cookies.filter((each) => each.startsWith(`${name}=`));
    if (!own.some((each) => isSecret(each.slice(name.length + 1), key)))
      return answerRefusal(outgoing, new Refusal('START_KEY_MISSING', 'this address of torc-dash needs its start key'));
    incoming.headers.cookie = cookies.filter((each) => !own.includes(each)).join('; ');
    listener(incoming, outgoing);
  };
}
