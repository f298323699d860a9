import { describe, expect, it } from 'vitest';
import { unitText } from './unit.ts';

const lineOf = (text: string, key: string) => text.split('\n').find((line) => line.startsWith(`${key}=`));

describe('a unit of systemd', () => {
  it('runs in its folder', () => {
    expect(lineOf(unitText({ isUser: true, folder: '/a b/100%', command: ['x'] }), 'WorkingDirectory')).toBe(
      'WorkingDirectory=/a b/100%%',
    );
  });

  it('runs the server with each argument as it was given', () => {
    const command = [
      '/usr/bin/node',
      '/opt/my torc/torc-server.mjs',
      'run',
      '--host',
      '100%',
      '--admin-user',
      'a"b$c\\d',
    ];
    expect(lineOf(unitText({ isUser: false, folder: '/var/lib/100%', command }), 'ExecStart')).toBe(
      String.raw`ExecStart=/usr/bin/node "/opt/my torc/torc-server.mjs" run --host 100%% --admin-user "a\"b$$c\\d"`,
    );
  });

  it('comes up with the machine, behind the network; that of a person with the person', () => {
    const system = unitText({ isUser: false, folder: '/', command: ['x'] });
    const user = unitText({ isUser: true, folder: '/', command: ['x'] });
    expect([lineOf(system, 'WantedBy'), lineOf(system, 'After')]).toEqual([
      'WantedBy=multi-user.target',
      'After=network-online.target',
    ]);
    expect([lineOf(user, 'WantedBy'), lineOf(user, 'After')]).toEqual(['WantedBy=default.target', undefined]);
  });

  it('is started again after a crash, and not after a refusal to start', () => {
    const unit = unitText({ isUser: true, folder: '/', command: ['x'] });
    expect([lineOf(unit, 'Restart'), lineOf(unit, 'RestartPreventExitStatus')]).toEqual([
      'Restart=on-failure',
      'RestartPreventExitStatus=1 2',
    ]);
  });
});
