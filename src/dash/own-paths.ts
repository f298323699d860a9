import type { IncomingMessage, ServerResponse } from 'node:http';
import { Refusal } from '../core/contract/refusals.ts';
import { VERSION } from '../core/contract/version.ts';
import { answerJson, answerRefusal } from './answer.ts';

const NO_CHAT =
  'This dashboard has no chat. torc-mcp-server offers Torc to an agent of your own (docs/how-to/work-with-agents.md).';

/** Replies of torc-dash itself, as Torc 1.0.0 has their paths. */
const replies: Readonly<Record<string, (user: string) => object>> = {
  '/api/version': () => ({ version: VERSION }),
  '/api/user': (user) => ({ user }),
  '/api/chat/status': () => ({ configured: false, message: NO_CHAT }),
};

export function answerOwn(incoming: IncomingMessage, outgoing: ServerResponse, user: string): void {
  const path = (incoming.url ?? '/').replace(/\?.*$/, '');
  const reply = incoming.method === 'GET' ? replies[path]?.(user) : undefined;
  if (reply !== undefined) return answerJson(outgoing, 200, reply);
  const message = `torc-dash does not serve ${path.slice(0, 200)}: its page uses the routes of the service, and commands of torc change workflows`;
  answerRefusal(outgoing, new Refusal('NOT_FOUND', message));
}
