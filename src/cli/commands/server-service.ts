import type { Command } from '../command.ts';
import type { Option } from '../option.ts';
import { runOptions } from '../server/options.ts';
import { SERVICE } from '../server/systemd.ts';

const user: Option = { flags: '--user', says: 'the service of your own, without root' };
const room = () => import('../server/service.ts');

const serviceInstall: Command = {
  words: 'service install',
  says: 'Install the server as a service of systemd, with the options of run.',
  more: 'Unless said, logs and database stand in /var/log/torc and /var/lib/torc/torc.db;\nthose of a service of your own in ~/.torc/logs and ~/.torc/torc.db.',
  offline: true,
  // What is not given stays open: the service reads the configuration when it starts.
  options: [user, ...runOptions.map((option) => ({ ...option, setting: undefined }))],
  async run(context, _args, options) {
    const { output } = context;
    const { placeOf, systemctlFor, writeUnit } = await room();
    const place = placeOf(context, options);
    writeUnit(context, place, options);
    const systemctl = systemctlFor(context, place);
    await systemctl('daemon-reload');
    await systemctl('enable', SERVICE);
    output.text(`Installed ${place.unit}`);
    output.notice(
      place.isUser
        ? 'Start it with `torc-server service start --user`. It ends with your last login, unless `loginctl enable-linger` keeps it.'
        : 'Start it with `torc-server service start`.',
    );
  },
};

const serviceUninstall: Command = {
  words: 'service uninstall',
  says: 'Stop the service and remove it; database and logs stay.',
  offline: true,
  options: [user],
  async run(context, _args, options) {
    const { placeOf, removeUnit, systemctlFor } = await room();
    const place = placeOf(context, options);
    const systemctl = systemctlFor(context, place);
    await systemctl('disable', '--now', SERVICE);
    removeUnit(place);
    await systemctl('daemon-reload');
    context.output.text(`Removed ${place.unit}`);
  },
};

const simple = (verb: 'start' | 'stop', says: string, done: string): Command => ({
  words: `service ${verb}`,
  says,
  offline: true,
  options: [user],
  async run(context, _args, options) {
    const { placeOf, systemctlFor } = await room();
    await systemctlFor(context, placeOf(context, options))(verb, SERVICE);
    context.output.text(done);
  },
});

const serviceStart = simple('start', 'Start the service.', 'Started torc-server');
const serviceStop = simple('stop', 'Stop the service; requests under way are answered.', 'Stopped torc-server');

const serviceStatus: Command = {
  words: 'service status',
  says: 'Does the service run? Exit code 1 when it does not.',
  offline: true,
  options: [user],
  async run(context, _args, options) {
    const { placeOf, stateOf, systemctlFor } = await room();
    const { isActive, words } = await stateOf(systemctlFor(context, placeOf(context, options)));
    context.output.text(words);
    if (!isActive) context.exitWith(1);
  },
};

/** Commands about the server as a service of systemd. */
export const serviceCommands: readonly Command[] = [
  serviceInstall,
  serviceUninstall,
  serviceStart,
  serviceStop,
  serviceStatus,
];
