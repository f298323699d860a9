import type { RequestListener, Server } from 'node:http';
import { certificatesIn } from '../../client/node/certificates.ts';
import { randomBytes } from '../../cluster/random-bytes.ts';
import { command } from '../command/command.ts';
import type { Context } from '../command/context.ts';
import { Failure } from '../command/failure.ts';
import { integerOption, option, optionsOf } from '../command/option.ts';
import { asksForLogin, rootOf, startToken, tunnelTo } from '../page-address.ts';
import { untilAsked } from '../terminal/until-asked.ts';

/** Options of Torc 1.0.0 for parts that this program does not have. */
const withoutEffect = optionsOf([
  option('--torc-bin <path>', 'no effect: no command is started', { isHidden: true }),
  option('--torc-mcp-server-bin <path>', 'no effect: there is no chat', { isHidden: true }),
  option('--server-port <port>', 'no effect: any free port', { isHidden: true }),
  option('--server-host <host>', 'no effect: 127.0.0.1', { isHidden: true }),
  option('--completion-check-interval-secs <n>', 'no effect: completion is known at once', { isHidden: true }),
  ...[
    'llm-provider',
    ...['api-key', 'foundry-api-key', 'foundry-resource', 'base-url', 'auth-header', 'model'].map(
      (name) => `anthropic-${name}`,
    ),
    ...['api-key', 'base-url', 'model'].map((name) => `openai-${name}`),
    ...['base-url', 'model'].map((name) => `ollama-${name}`),
    'github-token',
    ...['base-url', 'model'].map((name) => `github-models-${name}`),
  ].map((name) => option(`--${name} <text>` as const, 'no effect: there is no chat', { isHidden: true as const })),
]);

export const dash = command('serve', {
  isDefault: true,
  makesDatabase: true,
  says: 'Serve the page of a server in a browser on an address of this machine, as the dashboard of Torc 1.0.0 was started.',
  example: '--standalone --port 8090',
  more:
    'Every torc-server has the page itself, and `torc page` prints its address; this program is for habits and scripts, for servers that only this machine reaches, and for ' +
    'a socket. It prints the address, with a start token where the server asks for a login and a key where a cookie for a proxy is sent, and ends with Ctrl-C.',
  options: [
    option('-p, --port <port>', 'port; the next free one if it is in use', {
      setting: 'dash.port',
      read: integerOption(0),
    }),
    option('--host <host>', 'address to listen on', { setting: 'dash.host' }),
    option('--socket <path>', 'listen on this Unix socket instead; only this user may use it', {
      setting: 'dash.socket',
    }),
    option('-a, --api-url <url>', 'the same as --url, as Torc 1.0.0 has it', { setting: 'dash.api_url' }),
    option('-s, --standalone', 'start a server for this user, or use that of another -s command', {
      setting: 'dash.standalone',
    }),
    option('--database <file>', 'the same as --db, as Torc 1.0.0 has it', { setting: 'dash.database' }),
    ...withoutEffect,
  ],
  async run(context, _, options) {
    const { settings, output } = context;
    const { client, url } = await context.service();
    const root = new URL(rootOf(url));
    const token = await startToken(context, client);
    const behind = token === '' ? '' : `#${token}`;
    const { listenOnPort, listenOnSocket } = await import('../../dash/listen.ts');
    const { startQuery } = await import('../../dash/start-key.ts');
    const { isLoopbackAddress } = await import('../../server/http/origin.ts');
    const { host, port, socket } = options;
    const isLoopback = socket !== undefined || host === 'localhost' || isLoopbackAddress(host);
    const key =
      settings.cookie === undefined || socket !== undefined ? undefined : randomBytes(32).toString('base64url');
    const server = await serverOf(context, root, isLoopback, key);
    const listening = socket === undefined ? listenOnPort(server, host, port) : listenOnSocket(server, socket);
    const bound = await listening.catch((error: Error) => {
      throw new Failure(`torc-dash cannot listen: ${error.message}`, { cause: error });
    });

    if (socket === undefined && port !== 0 && bound !== port)
      output.warn(`port ${port} is in use; torc-dash listens on ${bound}`);
    const query = key === undefined ? '' : startQuery(key);
    const address = socket ?? `http://${host.includes(':') ? `[${host}]` : host}:${bound}/${query}${behind}`;
    output.record('page', { url: address, server: root.href }, address);
    if (socket !== undefined) {
      if (behind !== '') output.notice(`Its page opens with ${behind} behind its address.`);
    } else if (isLoopback) {
      const tunnel = tunnelTo(context, bound);
      if (tunnel !== undefined) output.notice(tunnel);
    } else if (key === undefined) {
      const rights = asksForLogin(settings) ? 'the server asks for a login' : 'it can do everything there';
      output.warn(`every machine that reaches ${host} reaches the page; ${rights}`);
    }
    if (key !== undefined)
      output.notice(
        'The cookie is sent for a browser that opened this address, and for no other user of this machine.',
      );
    await untilAsked();
    server.close();
    server.closeAllConnections();
  },
});

/** What a browser reaches: the page and the routes of the server, behind the checks that our servers have. */
async function serverOf(
  { settings, output }: Context,
  root: URL,
  isLoopback: boolean,
  key: string | undefined,
): Promise<Server> {
  const { createForwarding, isForwarded } = await import('../../dash/forward.ts');
  const { answerOwn } = await import('../../dash/own-paths.ts');
  const { behindStartKey } = await import('../../dash/start-key.ts');
  const { behindGate } = await import('../../server/http/gate.ts');
  const forward = createForwarding({
    root,
    certificates: certificatesIn(settings.tlsCaCert, output.warn),
    insecure: settings.tlsInsecure,
    cookie: settings.cookie,
  });
  const { createServer } = process.getBuiltinModule('node:http');
  const answer: RequestListener = (incoming, outgoing) =>
    isForwarded((incoming.url ?? '/').replace(/\?.*$/, ''))
      ? forward(incoming, outgoing)
      : answerOwn(incoming, outgoing, settings.user);
  const listener = key === undefined ? answer : behindStartKey(key, answer);
  return createServer(behindGate({ isLoopback, isTls: false, hosts: [], origins: [] }, listener));
}
