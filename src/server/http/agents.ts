import type { Hono, MiddlewareHandler } from 'hono';
import type { Socket } from 'node:net';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import type { Answers } from './answers.ts';
import { bodyOfRequest } from './body.ts';
import type { BodyRoom } from './body-room.ts';
import { errorBody } from './errors.ts';
import { headersFor, JSON_TYPE } from './headers.ts';
import { respond, sendText } from './reply.ts';
import type { ReplyRoom } from './reply-room.ts';

/** Answers a request of the Model Context Protocol. The service knows no tool: it forwards requests that it has let in. */
export type AnswerAgents = (call: {
  /** The URL under which the agent reached the server, and that of the service on this machine. */
  readonly url: string;
  readonly serviceUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}) => Promise<{
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}>;

interface AgentsOptions {
  readonly answer: AnswerAgents;
  /** Answers 401 to those who may not use the server; undefined where everybody may. */
  readonly identify: MiddlewareHandler<Answers> | undefined;
  readonly room: BodyRoom;
  readonly replyRoom: ReplyRoom;
}

const PATH = '/mcp';
/** A workflow file as JSON is the largest. */
const MOST_MEBIBYTES = 16;
/** A client sends others too; the answer depends on these. */
const FORWARDED = [
  'authorization',
  'content-type',
  'accept',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
];

/** Serves agents at `/mcp`, behind the login of the service. */
export function serveAgents(root: Hono<Answers>, { answer, identify, room, replyRoom }: AgentsOptions): void {
  if (identify !== undefined) root.use(PATH, identify);
  root.post(PATH, async (context) => {
    try {
      const body = await bodyOfRequest(context, { mebibytes: MOST_MEBIBYTES, room });
      try {
        const headers = Object.fromEntries(
          FORWARDED.flatMap((name) => {
            const value = context.req.header(name);
            return value === undefined ? [] : [[name, value]];
          }),
        );
        // A copy: the buffer of the body may be part of a larger one.
        const { url } = context.req;
        const serviceUrl = serviceUrlOf(context.env?.incoming?.socket);
        const replied = await answer({ url, serviceUrl, headers, body: Uint8Array.from(body.bytes) });
        return await sendText(context, replied.body, replied, replyRoom);
      } finally {
        body.release();
      }
    } catch (error) {
      const { status, body, headers } = errorBody(error);
      return respond(JSON.stringify(body), status, { ...headersFor(context, JSON_TYPE), ...headers });
    }
  });
  // Nothing is reported between calls, so there is no stream to open and no session to end.
  root.all(PATH, (context) => context.body(null, 405, { Allow: 'POST' }));
}

/** The URL at which this connection arrived: it is right for every address that the server listens on. */
function serviceUrlOf(socket: Socket | undefined): string {
  const { localAddress = '127.0.0.1', localPort = 80 } = socket ?? {};
  const address = localAddress.replace(/^::ffff:/, '');
  const scheme = socket !== undefined && 'encrypted' in socket ? 'https' : 'http';
  return `${scheme}://${address.includes(':') ? `[${address}]` : address}:${localPort}${BASE_PATH}`;
}
