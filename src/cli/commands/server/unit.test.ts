import { describe, expect, it } from 'vitest';
import { unitText } from './unit.ts';

const lineOf = (text: string, key: string) => text.split('\n').find((line) => line.startsWith(`${key}=`));

describe('a systemd unit', () => {
  it('the unit runs in its folder', () => {
    expect(lineOf(unitText({ isUser: true, folder: '/a b/100%', command: ['x'] }), 'WorkingDirectory')).toBe(
      'WorkingDirectory=/a b/100%%',
    );
  });

  it('the unit runs the server with each argument unchanged', () => {
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

  it("the unit starts with the machine, after the network; a user's unit starts with the user", () => {
    const system = unitText({ isUser: false, folder: '/', command: ['x'] });
    const user = unitText({ isUser: true, folder: '/', command: ['x'] });
    expect([lineOf(system, 'WantedBy'), lineOf(system, 'After')]).toEqual([
      'WantedBy=multi-user.target',
      'After=network-online.target',
    ]);
    expect([lineOf(user, 'WantedBy'), lineOf(user, 'After')]).toEqual(['WantedBy=default.target', undefined]);
  });

  it('the unit restarts the server after a crash, and not after a refusal to start', () => {
    const unit = unitText({ isUser: true, folder: '/', command: ['x'] });
    expect([lineOf(unit, 'Restart'), lineOf(unit, 'RestartPreventExitStatus')]).toEqual([
      'Restart=on-failure',
      'RestartPreventExitStatus=1 2',
    ]);
  });
});
