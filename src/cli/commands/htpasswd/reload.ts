import { certificatesIn } from '../../../client/node/certificates.ts';
import type { Context } from '../../command/context.ts';
import { serverReply } from '../../../client/reply.ts';
import { Failure } from '../../command/failure.ts';
import { option, optionsOf, type ValuesOf } from '../../command/option.ts';

/** Options of commands that change a file which a server has read. */
export const reloadOptions = optionsOf([
  option('--reload-auth', 'make the server read the file again'),
  option('--url <url>', 'URL of that server (TORC_API_URL)', { setting: 'client.api_url' }),
  option('--server-password <password>', 'your password there (TORC_PASSWORD)'),
]);

/** Makes the server read the file again, if requested. */
export async function reload(
  { configuration, environment, output, settings }: Context,
  options: ValuesOf<typeof reloadOptions>,
): Promise<void> {
  if (options.reloadAuth !== true) return;
  const { connect } = await import('../../../client/node/connect.ts');
  const url = options.url;
  const connection = connect({
    url,
    username: settings.user,
    password: options.serverPassword ?? environment['TORC_PASSWORD'],
    cookie: settings.cookie,
    certificates: certificatesIn(configuration['client.tls.ca_cert'], output.warn),
    insecure: configuration['client.tls.insecure'],
  });
  try {
    const reply = await connection.send({ method: 'POST', path: '/admin/reload-auth', body: undefined });
    if (reply.status !== 200) throw new Error(`the reply was ${reply.status}: ${reply.text}`);
    const { user_count: users } = serverReply('reload auth', reply, 'user_count') as { user_count: number };
    output.notice(`The server at ${url} knows ${users} user(s) now.`);
  } catch (cause) {
    throw new Failure(
      `the file was changed, but the server at ${url} did not read it again: ${(cause as Error).message}`,
      { cause },
    );
  } finally {
    connection.close();
  }
}
