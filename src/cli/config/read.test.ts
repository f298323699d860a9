import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { complaintsAbout } from './check.ts';
import { configurationPlaces, readConfiguration } from './read.ts';
import { isGuarded } from './layer.ts';
import { builtIn, paths } from './schema.ts';
import { template } from './write.ts';

let folder: string;
let environment: Record<string, string>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'torc-config-'));
  environment = {
    HOME: join(folder, 'home'),
    TORC_SYSTEM_CONFIG: join(folder, 'etc/config.toml'),
    TORC_TRUST_CONFIG: '1',
  };
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(role: 'system' | 'user' | 'local', toml: string): void {
  const path = configurationPlaces(environment, folder).find((file) => file.role === role)?.path as string;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, toml);
}

const read = (variables: Record<string, string> = {}) => readConfiguration({ ...environment, ...variables }, folder);
const problemsOf = async (toml: string) => {
  write('local', toml);
  return (await read()).problems.map(({ text }) => text);
};

describe('the configuration', () => {
  it('the configuration consists of defaults if nothing is set', async () => {
    expect(await read()).toMatchObject({ configuration: builtIn, problems: [], warnings: [] });
    write('local', '');
    expect((await read()).configuration).toEqual(builtIn);
  });

  it('each key is taken from the system, the user, the folder and the environment: the last one counts', async () => {
    const four = (count: number, name: string) =>
      ['api_url', 'format', 'log_level', 'run.output_dir']
        .slice(0, count)
        .map((each) => `${each} = "${each === 'format' ? 'json' : each === 'log_level' ? 'warn' : name}"`)
        .join('\n');
    write('system', `[client]\n${four(4, 'system')}`);
    write('user', `[client]\napi_url = "user"\nlog_level = "debug"`);
    write('local', '[client]\napi_url = "local"\n[server]\nport = 1');
    const { configuration, reported } = await read({ TORC_SERVER__PORT: '2' });
    expect(configuration).toMatchObject({
      'client.run.output_dir': 'system',
      'client.format': 'json',
      'client.log_level': 'debug',
      'client.api_url': 'local',
      'server.port': 2,
    });
    expect(reported.get('client.api_url')?.place).toBe('torc.toml:2');
    expect(reported.get('server.port')?.place).toBe('TORC_SERVER__PORT');
  });

  it('a key with an address, a command or a path waits until the file of a folder is trusted', async () => {
    write('user', '[client]\napi_url = "user"');
    write('local', '[client]\napi_url = "local"\nformat = "json"\n[server]\nport = 1');
    const { configuration, reported } = await read({ TORC_TRUST_CONFIG: '0', TORC_SERVER__PORT: '2' });
    const path = join(folder, 'torc.toml');
    expect(() => configuration['client.api_url']).toThrow(
      expect.objectContaining({
        code: 'CONFIG_NOT_TRUSTED',
        facts: { key: 'client.api_url', place: 'torc.toml:2', path },
      }),
    );
    expect(reported.get('client.api_url')?.waits).toEqual({ path, isChanged: false });
    // A key that may come from any folder, and one that a variable sets.
    expect([configuration['client.format'], configuration['server.port']]).toEqual(['json', 2]);
  });

  it('the keys that may come from the file of any folder are these, and each other one waits for trust', () => {
    expect(paths.filter((path) => !isGuarded(path)).join(' ')).toBe(
      [
        'client.format client.log_level client.run.poll_interval client.run.claim_backoff_max_secs',
        'client.run.max_parallel_jobs client.run.num_cpus client.run.memory_gb client.run.num_gpus client.run.failed_exit',
        'client.run.keep_temporary',
        'client.offline.enabled client.offline.drain_ping_interval_secs client.slurm.poll_interval',
        'client.slurm.keep_submission_scripts client.slurm.job_arrays client.slurm.max_queued client.slurm.submit_rate',
        'client.slurm.strict_scheduler_match client.watch.poll_interval client.watch.max_retries',
        'client.watch.retry_cooldown client.watch.rate_limit_per_minute client.hpc.default_account',
        'client.hpc.profile_overrides client.hpc.custom_profiles',
      ].join(' '),
    );
  });

  it("the user's file is read from XDG_CONFIG_HOME if that is an absolute path", () => {
    const user = (xdg: string) => configurationPlaces({ HOME: '/home/ada', XDG_CONFIG_HOME: xdg }, '/')[1]?.path;
    expect([user('/x'), user(''), user('x')]).toEqual([
      '/x/torc/config.toml',
      '/home/ada/.config/torc/config.toml',
      '/home/ada/.config/torc/config.toml',
    ]);
  });
});

describe('a variable', () => {
  it.each([
    [{ TORC_CLIENT__RUN__POLL_INTERVAL: '2.5' }, 'client.run.poll_interval', 2.5],
    [{ TORC_SERVER__ADMIN_USERS: 'ada, bob' }, 'server.admin_users', ['ada', 'bob']],
    [{ TORC_ADMIN_USERS: 'ada' }, 'server.admin_users', ['ada']],
    [{ TORC_SERVER__URL: '0.0.0.0' }, 'server.host', '0.0.0.0'],
    [{ TORC_CLIENT__TLS__INSECURE: 'TRUE' }, 'client.tls.insecure', true],
    [{ TORC_CLIENT__API_URL: 'sectioned', TORC_API_URL: 'direct' }, 'client.api_url', 'direct'],
    [{ TORC_API_URL: '' }, 'client.api_url', builtIn['client.api_url']],
    [{ TORC_CLIENT_FORMAT: 'json' }, 'client.format', 'table'],
    [{ RUST_LOG: 'torc=debug,hyper=off' }, 'client.log_level', undefined],
    [{ RUST_LOG: 'debug' }, 'client.log_level', 'debug'],
  ] as const)('%j sets %s to %j', async (variables, path, value) => {
    const { configuration, problems } = await read(variables);
    expect(problems).toEqual([]);
    expect(configuration[path]).toEqual(value);
  });

  it('an invalid variable is reported by its name', async () => {
    const { problems } = await read({ TORC_SERVER__PORT: 'abc', TORC_CREDENTIAL_CACHE_TTL_SECS: '-1' });
    expect(problems.map(({ text }) => text)).toEqual([
      'TORC_SERVER__PORT: server.port: expected a whole number from 0 to 65535, found "abc"',
      'TORC_CREDENTIAL_CACHE_TTL_SECS: server.credential_cache_ttl_secs: expected a whole number of 0 or more, found "-1"',
    ]);
  });

  it('an unknown variable is reported with the name that was meant', async () => {
    expect((await read({ TORC_CLIENT__RUN__POL_INTERVAL: '1' })).warnings).toEqual([
      'TORC_CLIENT__RUN__POL_INTERVAL: unknown key client.run.pol_interval; did you mean client.run.poll_interval?',
    ]);
  });
});

describe('a value in a file', () => {
  it('a value may be a number in quotes, or a whole number where fractions are allowed', async () => {
    expect(await problemsOf('[server]\nport = "9999"\n[client.run]\npoll_interval = 3')).toEqual([]);
    expect((await read()).configuration).toMatchObject({ 'server.port': 9999, 'client.run.poll_interval': 3 });
  });

  test.each([
    ['[server]\nport = "abc"', 'torc.toml:2: server.port: expected a whole number from 0 to 65535, found "abc"'],
    ['[server]\n\nport = -1', 'torc.toml:3: server.port: expected a whole number from 0 to 65535, found -1'],
    ['server.admin_users = [1]', 'torc.toml:1: server.admin_users: expected a list of names, found [1]'],
    ['client.format = "JSON"', 'torc.toml:1: client.format: expected one of table, json, csv, found "JSON"'],
    ['client.log_level = "zz"', 'torc.toml:1: client.log_level: expected debug, info, warn or error, found "zz"'],
    ['client = 3', 'torc.toml:1: client: expected a section, found 3'],
    ['client.run.poll_interval = nan', 'torc.toml:1: client.run.poll_interval: expected a number above 0, found NaN'],
    ['[client.tls]\ninsecure = {}', 'torc.toml:2: client.tls.insecure: expected true or false, found a table'],
    ['[client]\nformat = table', 'torc.toml:2:10: not TOML: '],
    [
      '[client.hpc.custom_profiles.mine]\ndisplay_name = "Mine"\npartitions = [{name = "a", cpus_per_node = 0, memory_mb = 1}]',
      'torc.toml:3: client.hpc.custom_profiles.mine.partitions.1.cpus_per_node: expected a whole number of 1 or more, found 0',
    ],
  ])('an invalid value is refused with its place, the expected type and the value: %j', async (toml, problem) => {
    expect((await problemsOf(toml))[0]).toContain(problem);
  });

  it('a value may be a profile of a cluster', async () => {
    const partition = 'name = "a"\ncpus_per_node = 4\nmemory_mb = 1000\nmax_walltime_secs = 3600';
    expect(
      await problemsOf(
        `[client.hpc.custom_profiles.mine]\ndisplay_name = "Mine"\n[[client.hpc.custom_profiles.mine.partitions]]\n${partition}`,
      ),
    ).toEqual([]);
    expect((await read()).configuration['client.hpc.custom_profiles']).toEqual({
      mine: {
        display_name: 'Mine',
        partitions: [{ name: 'a', cpus_per_node: 4, memory_mb: 1000, max_walltime_secs: 3600 }],
      },
    });
  });

  it('an invalid value does not affect the others', async () => {
    await problemsOf('[server]\nport = "abc"\n[client]\nformat = "json"');
    expect((await read()).configuration).toMatchObject({ 'server.port': 8080, 'client.format': 'json' });
  });
});

describe('an unknown key', () => {
  test.each([
    ['[server]\nprot = 1', 'torc.toml:2: unknown key server.prot; did you mean server.port?'],
    [
      'poll_interval = 1',
      'torc.toml:1: unknown key poll_interval; did you mean client.run.poll_interval or client.slurm.poll_interval or client.watch.poll_interval?',
    ],
    ['[sevrer]\nport = 1', 'torc.toml:1: unknown key sevrer'],
  ])('an unknown key is reported, with a suggestion if one is near: %j', async (toml, warning) => {
    expect(await problemsOf(toml)).toEqual([]);
    expect((await read()).warnings).toEqual([warning]);
  });
});

describe('the check of the configuration', () => {
  it('the check reports all errors at once', async () => {
    write(
      'local',
      '[client]\nformat = "csv"\nrun.poll_interval = 0\n[server]\nport = 0\nthreads = 0\nhttps = true\nrequire_auth = true',
    );
    expect(complaintsAbout(await read())).toEqual([
      'torc.toml:3: client.run.poll_interval: expected a number above 0, found 0',
      'torc.toml:6: server.threads: expected a whole number of 1 or more, found 0',
      'torc.toml:2: client.format: csv is only supported by lists, so other commands would fail',
      'torc.toml:5: server.port: port 0 is a different port at each start',
      'torc.toml:7: server.https: needs server.tls_cert and server.tls_key',
      'torc.toml:8: server.require_auth: needs server.auth_file',
    ]);
  });

  it('the check finds no error in the file that `config init` writes', async () => {
    write('local', template());
    const found = await read();
    expect([complaintsAbout(found), found.warnings]).toEqual([[], []]);
    expect(found.configuration).toEqual(builtIn);
  });
});
