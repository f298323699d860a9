import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder, torc } from '../support/programs.ts';

let folder: string;
let environment: Record<string, string>;

beforeEach(() => {
  folder = temporaryFolder();
  environment = {
    HOME: join(folder, 'home'),
    XDG_CONFIG_HOME: '',
    XDG_STATE_HOME: '',
    TORC_SYSTEM_CONFIG: join(folder, 'system.toml'),
  };
});

const call = (...words: string[]) => torc(words, { cwd: folder, environment });
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

describe('torc config', () => {
  it('torc config shows what holds, with where each value comes from; as JSON it is nothing but that', async () => {
    write('system.toml', '[client]\napi_url = "http://system/torc-service/v1"\n');
    write('torc.toml', '[client.run]\npoll_interval = 2\n');
    const { code, stdout } = await call('config', 'show');
    expect(code).toBe(0);
    expect(stdout).toContain(
      `[client]\napi_url = "http://system/torc-service/v1"  # ${join(folder, 'system.toml').replace(`${folder}/`, '')}:2`,
    );
    expect(stdout).toContain('poll_interval = 2  # torc.toml:2\nclaim_backoff_max_secs = 300\n');
    const json = await call('config', 'show', '-f', 'json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      client: { api_url: 'http://system/torc-service/v1', run: { poll_interval: 2, output_dir: 'torc_output' } },
      server: { port: 8080, admin_users: [] },
    });
    expect(await call('-f', 'json', 'config', 'show')).toEqual(json);
  });

  it('torc config says which files are read, in their order', async () => {
    write('torc.toml', '');
    expect((await call('config', 'paths')).stdout.split('\n').slice(0, 3)).toEqual([
      `system: ${join(folder, 'system.toml')} (not there)`,
      `user:   ${join(folder, 'home/.config/torc/config.toml')} (not there)`,
      `local:  ${join(folder, 'torc.toml')}`,
    ]);
  });

  it('torc config writes a file to begin with, and not over one that is there', async () => {
    const user = join(folder, 'home/.config/torc/config.toml');
    expect((await call('config', 'init', '--user')).stdout).toBe(`Created ${user}\n`);
    expect(readFileSync(user, 'utf8')).toContain('[client.run]\n');
    writeFileSync(user, '# mine\n');
    const { code, stderr } = await call('config', 'init', '--user');
    expect([code, stderr]).toEqual([1, `Error: ${user} already exists; use --force to replace it\n`]);
    expect(readFileSync(user, 'utf8')).toBe('# mine\n');
    expect((await call('config', 'init', '--user', '-f')).code).toBe(0);
    expect(readFileSync(user, 'utf8')).not.toBe('# mine\n');
    expect((await call('config', 'init')).code).toBe(2);
    expect(existsSync(join(folder, 'torc.toml'))).toBe(false);
  });

  it('torc config finds every mistake at once', async () => {
    write('torc.toml', '[client.run]\npoll_interval = 0\n[server]\nport = "abc"\n');
    const { code, stdout, stderr } = await call('config', 'validate');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'Error: Configuration has 2 error(s):\n' +
        '  torc.toml:2: client.run.poll_interval: expected a number above 0, found 0\n' +
        '  torc.toml:4: server.port: expected a whole number from 0 to 65535, found "abc"\n',
    );
    write('torc.toml', '[client.run]\npoll_interval = 1\n');
    expect(await call('config', 'validate')).toMatchObject({ code: 0, stdout: 'Configuration is valid\n' });
  });
});

describe('a command', () => {
  it('a command takes from the configuration what its options do not say', async () => {
    write('torc.toml', '[client]\nformat = "json"\napi_url = "http://127.0.0.1:1/torc-service/v1"\n');
    await call('config', 'trust');
    const { stdout } = await call('ping');
    expect(JSON.parse(stdout)).toMatchObject({ status: 'error', message: expect.stringContaining('127.0.0.1:1/') });
    expect((await call('ping', '-f', 'table')).stdout).toBe('');
    expect((await call('ping', '--url', 'http://127.0.0.1:2/torc-service/v1')).stdout).toContain('127.0.0.1:2/');
    environment['TORC_API_URL'] = 'http://127.0.0.1:3/torc-service/v1';
    expect((await call('ping')).stdout).toContain('127.0.0.1:3/');
  });

  it('a command runs workflows as the configuration says', async () => {
    mkdirSync(join(folder, 'home'));
    write('torc.toml', '[client.run]\noutput_dir = "elsewhere"\n');
    write('flow.yaml', 'name: one\njobs: [{name: only, command: "true"}]\n');
    await call('config', 'trust', 'torc.toml');
    expect((await call('-s', 'run', 'flow.yaml')).code).toBe(0);
    expect(existsSync(join(folder, 'elsewhere/job_stdio'))).toBe(true);
    expect((await call('-s', 'run', 'flow.yaml', '-o', 'here')).code).toBe(0);
    expect(existsSync(join(folder, 'here/job_stdio'))).toBe(true);
  });

  it('a command does nothing under a configuration that is wrong, and says where', async () => {
    write('torc.toml', '[client.run]\npoll_interval = "abc"\n');
    const { code, stdout, stderr } = await call('-s', '-f', 'json', 'exec', '-c', 'touch ran');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('torc.toml:2: client.run.poll_interval: expected a number above 0, found "abc"');
    expect(existsSync(join(folder, 'ran'))).toBe(false);
    write('torc.toml', '[client\n');
    expect((await call('ping')).stderr).toMatch(/torc\.toml:1:\d+: not TOML/);
  });

  it('a command is not stopped by what is wrong in a section that it does not read, but says it', async () => {
    write('torc.toml', '[server]\nport = "abc"\n');
    const { code, stderr } = await call('-s', 'workflows', 'new', '-n', 'one');
    expect(code).toBe(0);
    expect(stderr).toContain('warning: torc.toml:2: server.port: expected');
  });

  it('a command names the key that was meant', async () => {
    write('torc.toml', '[client]\nformt = "json"\n');
    const { code, stderr } = await call('-s', 'workflows', 'new', '-n', 'one');
    expect(code).toBe(0);
    expect(stderr).toContain('warning: torc.toml:2: unknown key client.formt; did you mean client.format?');
  });
});
