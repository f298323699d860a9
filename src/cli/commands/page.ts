import { command } from '../command/command.ts';
import { pageAddress } from '../page-address.ts';
import { untilAsked } from '../terminal/until-asked.ts';

export const pageCommand = command('page', {
  says: 'Print the address of the page that shows workflows in a browser.',
  makesDatabase: true,
  more: 'Where the server asks for a login, the address has a start token: it opens the page once, within ten minutes, as you.\nWith -s the command stays, and the server with it, until Ctrl-C.',
  async run(context) {
    const { service, settings, output, hint } = context;
    const { url, tunnel } = await pageAddress(context, await service());
    output.record('page', { url }, url);
    if (tunnel !== undefined) output.notice(tunnel);
    if (!settings.standalone) return;
    output.notice(`The server goes on until Ctrl-C. Another terminal: ${hint('torc run <workflow file>')}`);
    await untilAsked();
  },
});
