import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { replyOf } from '../../agents/command-reply.ts';
import { reply } from '../../agents/serve.ts';
import type { Backend } from '../../agents/tool.ts';
import { type Client, createClient } from '../../client/client.ts';
import { connect } from '../../client/node/connect.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { packageRoot } from '../../operations/run/package-root.ts';
import { answerEach } from '../../thread/answer-each.ts';
import { withOptions } from './hint.ts';
import { captured } from './program.ts';
import type { AgentCall, AgentReply, AgentsData } from '../commands/server/agents-thread.ts';
import { option } from '../command/option.ts';

/**
 * Answers agents beside the server: it asks the server as any client does, with the login of each request, so that an agent may
 * do what its user may, and the event loop of the server does nothing else meanwhile.
 */

const URL_OPTION = option('--url <url>', 'URL of the service');
const data = workerData as AgentsData;

answerEach(answer);

async function answer({ url, serviceUrl, headers, body }: AgentCall): Promise<AgentReply> {
  const login = loginOf(headers['authorization']);
  const connection = connect({ url: serviceUrl, ...login, insecure: true });
  const request = new Request(url, { method: 'POST', headers: { ...headers }, body: body as Uint8Array<ArrayBuffer> });
  try {
    const backend = backendOf(createClient(connection.send), login, {
      serviceUrl,
      shownUrl: new URL(url).origin + BASE_PATH,
    });
    const response = await reply(request, backend, { isReadOnly: data.isReadOnly });
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  } finally {
    connection.close();
  }
}

interface Urls {
  readonly serviceUrl: string;
  /** For the commands that an agent shows to its user. */
  readonly shownUrl: string;
}

function backendOf(client: Client, { username, password }: Login, { serviceUrl, shownUrl }: Urls): Backend {
  const environment = { TORC_USERNAME: username, TORC_PASSWORD: password, TORC_TLS_INSECURE: 'true' };
  return {
    client: () => Promise.resolve(client),
    async command(...argv) {
      const words = ['-f', 'json', '--skip-version-check', '--url', serviceUrl, ...argv];
      const { exitCode, ...printed } = await captured(words, environment);
      // Commands that it suggests are for the machine of the agent.
      const shown = (text: string) => text.replaceAll(serviceUrl, shownUrl);
      return replyOf(argv, { exitCode, stdout: shown(printed.stdout), stderr: shown(printed.stderr) });
    },
    hint: (text) => withOptions(text, [{ option: URL_OPTION, value: shownUrl }]),
    outputDir: undefined,
    user: username,
    maxJobs: data.maxJobs,
    environment,
    docsDir: join(packageRoot(), 'docs'),
    partitions: undefined,
    examplesDir: join(packageRoot(), 'examples'),
  };
}

interface Login {
  readonly username?: string;
  readonly password?: string;
}

/** The user and the password of a request; a token is a password without a user. */
function loginOf(authorization = ''): Login {
  const [scheme = '', value = ''] = authorization.split(' ');
  if (scheme.toLowerCase() === 'bearer') return { password: value };
  if (scheme.toLowerCase() !== 'basic') return {};
  const [, username = '', password = ''] = /^([^:]*):?(.*)$/s.exec(Buffer.from(value, 'base64').toString('utf8')) ?? [];
  return { ...(username === '' ? {} : { username }), password };
}
