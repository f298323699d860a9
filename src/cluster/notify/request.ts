import { type Digest, digestSubject, digestText } from '../../core/notify/digest.ts';
import type { MessageReceiver } from '../../core/notify/receiver.ts';

/** A message on its way: what it says, and the key under which it may arrive twice. */
export interface Message {
  readonly key: string;
  readonly digest: Digest;
}

/** A request to a receiver, without its signature. */
export interface NotifyRequest {
  readonly method: 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Chats cut what is longer, or refuse it. */
const LONGEST_TEXT = 3_000;

/** What a receiver by HTTP gets. Everything that comes from a workflow stands in the body, which is JSON: no header has it. */
export function notifyRequestOf({ kind, address, token }: MessageReceiver, { key, digest }: Message): NotifyRequest {
  const text = digestText(digest).slice(0, LONGEST_TEXT);
  const json = (method: 'POST' | 'PUT', url: string, body: unknown, headers: Record<string, string> = {}) => ({
    method,
    url,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'torc',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  if (kind === 'ntfy') {
    const url = new URL(address);
    const topic = url.pathname.replace(/^.*\//, '');
    const isBad = digest.jobs.failed > 0 || digest.trigger !== 'end';
    return json('POST', new URL(url.pathname.replace(/[^/]*$/, ''), url).href, {
      topic: decodeURIComponent(topic),
      title: digestSubject(digest),
      message: text,
      tags: [isBad ? 'warning' : 'white_check_mark'],
    });
  }
  if (kind === 'slack') return json('POST', address, { text: slackText(`*${digestSubject(digest)}*\n${text}`) });
  if (kind === 'matrix') {
    const url = new URL(address);
    const room = decodeURIComponent((url.pathname + url.hash).replace(/^\//, ''));
    const path = `/_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message/${encodeURIComponent(key)}`;
    return json('PUT', new URL(path, url.origin).href, {
      msgtype: 'm.text',
      body: `${digestSubject(digest)}\n${text}`,
    });
  }
  return json('POST', address, { ...digest, key, text }, { 'Idempotency-Key': key });
}

/** Slack reads these as links and mentions. Source: https://docs.slack.dev/messaging/formatting-message-text. */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
