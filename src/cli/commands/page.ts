import { isUnknownRoute } from '../../client/compat/unknown-route.ts';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { command } from '../command.ts';
import { untilAsked } from '../until-asked.ts';

export const page = command({
  words: 'page',
  says: 'Print the address of the page that shows workflows in a browser.',
  more: 'Where the server asks for a login, the address has a start token: it opens the page once, within ten minutes, as you.\nWith -s the command stays, and the server with it, until Ctrl-C.',
  async run({ service, settings, output, environment, hint }) {
    const { client, url } = await service();
    const root = url.slice(0, url.lastIndexOf(BASE_PATH) + 1);
    const asksForLogin = settings.standalone || settings.password !== undefined || settings.asksPassword;
    try {
      await client.listWorkflowOverviews({ query: { limit: 1 } });
      const token = asksForLogin ? `#token=${(await client.createPageToken()).token}` : '';
      output.record('page', { url: root + token }, root + token);
    } catch (error) {
      if (!isUnknownRoute(error)) throw error;
      const message = 'this server has no page, as Torc 1.0.0: its dashboard is a program of its own';
      throw new Refusal('ROUTE_UNKNOWN', message, {}, { cause: error });
    }
    const { hostname, port } = new URL(root);
    if (environment['SSH_CONNECTION'] !== undefined && /^(localhost|127\.|\[::1\])/.test(hostname))
      output.notice(
        `From your own machine: ssh -L ${port}:127.0.0.1:${port} <this host>, then open the address there.`,
      );
    if (!settings.standalone) return;
    output.notice(`The server goes on until Ctrl-C. Another terminal: ${hint('torc run <workflow file>')}`);
    await untilAsked();
  },
});
