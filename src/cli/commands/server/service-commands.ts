import { type Command, command } from '../../command/command.ts';
import { option } from '../../command/option.ts';
import { runOptions } from './options.ts';
import { SERVICE } from './systemd.ts';

const user = option('--user', 'service of your user, without root');
const room = () => import('./service.ts');

const serviceInstall = command('service install', {
  says: 'Install the server as a systemd service, with the options of run.',
  example: '--user',
  more: 'By default logs and database are in /var/log/torc and /var/lib/torc/torc.db;\nwith --user in ~/.torc/logs and ~/.torc/torc.db.',
  offline: true,
  // Options that are not given stay unset: the service reads the configuration when it starts.
  options: [user, ...runOptions.map((option) => ({ ...option, setting: undefined }))],
  async run(context, _args, options) {
    const { output } = context;
    const { servicePlaceOf, systemctlFor, writeUnit } = await room();
    const place = servicePlaceOf(context, options);
    writeUnit(context, place, options);
    const systemctl = systemctlFor(context, place);
    await systemctl('daemon-reload');
    await systemctl('enable', SERVICE);
    output.text(`Installed ${place.unit}`);
    output.notice(
      place.isUser
        ? 'Start it with `torc-server service start --user`. It ends with your last login unless `loginctl enable-linger` is set.'
        : 'Start it with `torc-server service start`.',
    );
  },
});

const serviceUninstall = command('service uninstall', {
  says: 'Stop the service and remove it; database and logs stay.',
  offline: true,
  options: [user],
  async run(context, _args, options) {
    const { servicePlaceOf, removeUnit, systemctlFor } = await room();
    const place = servicePlaceOf(context, options);
    const systemctl = systemctlFor(context, place);
    await systemctl('disable', '--now', SERVICE);
    removeUnit(place);
    await systemctl('daemon-reload');
    context.output.text(`Removed ${place.unit}`);
  },
});

const simple = (verb: 'start' | 'stop', says: string, done: string) =>
  command(`service ${verb}`, {
    says,
    offline: true,
    options: [user],
    async run(context, _args, options) {
      const { servicePlaceOf, systemctlFor } = await room();
      await systemctlFor(context, servicePlaceOf(context, options))(verb, SERVICE);
      context.output.text(done);
    },
  });

const serviceStart = simple('start', 'Start the service.', 'Started torc-server');
const serviceStop = simple('stop', 'Stop the service after answering the requests in flight.', 'Stopped torc-server');

const serviceStatus = command('service status', {
  says: 'Show whether the service runs. Exit code 1 if it does not.',
  offline: true,
  options: [user],
  async run(context, _args, options) {
    const { servicePlaceOf, stateOf, systemctlFor } = await room();
    const { isActive, words } = await stateOf(systemctlFor(context, servicePlaceOf(context, options)));
    context.output.text(words);
    if (!isActive) context.exitWith(1);
  },
});

/** Commands for the server as a systemd service. */
export const serviceCommands: readonly Command[] = [
  serviceInstall,
  serviceUninstall,
  serviceStart,
  serviceStop,
  serviceStatus,
];
