import { expect, test } from 'vitest';
import { parseDaemonConfig } from '../../src/telemetry/produce/daemon/config.ts';

/** Configurations in Sonar's repository (https://github.com/NordicHPC/sonar), shortened: the file, its lines, where it sends, what it repeats. */
const CONFIGURATIONS: readonly (readonly [string, string, string, readonly string[]])[] = [
  [
    'build-dist/rpm-assets/sonar.cfg (what its packages install)',
    '[global]\ncluster = invalid-cluster.no\nrole = node\n# lock-directory =\n# [sample]\n# cadence =\n',
    'stdout',
    [],
  ],
  [
    'example/system-vm-deploy.cfg',
    '[global]\ncluster = c\nrole = node\n\n[directory]\ndata-directory = /var/log/sonar/c\n\n[sysinfo]\ncadence = 1h\n\n[sample]\ncadence = 30s\nmin-cpu-time = 60s\nexclude-commands = bash,ssh,zsh,tmux,systemd\n',
    'directory',
    ['sample', 'sysinfo'],
  ],
  [
    'build-dist/assets/sonar-fakegpu-node.cfg',
    '[global]\ncluster = c.org\nrole = node\n[kafka]\nbroker-address = h.org:12345\nca-file = /x.crt\nsending-window = 4m\nsasl-password-file = /x\n[sample]\ncadence = 5m\nrollup = true\n[sysinfo]\ncadence = 24h\non-startup = true\n',
    'kafka',
    ['sample', 'sysinfo'],
  ],
  [
    'tests/daemon-local.cfg (names of older releases)',
    '[global]\ncluster = c.no\nrole = node\n[debug]\nverbose = true\n[kafka]\nremote-host = localhost:9092\npoll-interval = 1m\n[sample]\ncadence = 1m\nbatchless = true\n[sysinfo]\ncadence = 30s\non-startup = false\n',
    'kafka',
    ['sample', 'sysinfo'],
  ],
  [
    'util/ingest-kafka/sonar-slurm-master.cfg (a comment behind, no last line end)',
    '[global]\ncluster = c.no\nrole = master\n[kafka]\nremote-host = localhost:9092\n#remote-host = h:XXXX\npoll-interval = 1m\n[jobs]\ncadence = 1m\nincomplete = true\n[cluster]\ncadence = 1m\n#cadence = 5m',
    'kafka',
    ['jobs', 'clusterState'],
  ],
  [
    'tests/daemon-interrupt.ini',
    '[global]\ncluster=c.org\nrole=node\ntopic-prefix=zappa\n\n[debug]\ntime-limit=100s\noutput-delay = 20s\n\n[sysinfo]\ncadence=3s\n',
    'stdout',
    ['sysinfo'],
  ],
];

test.each(CONFIGURATIONS)('%s is read', (_, text, sink, operations) => {
  const config = parseDaemonConfig(text, 'sonar.cfg');
  const repeated = (['sample', 'sysinfo', 'jobs', 'clusterState'] as const).filter(
    (each) => config[each] !== undefined,
  );
  expect([config.sink.kind, repeated]).toEqual([sink, operations]);
});

test('a line that is no setting, as the EOF that ends one of these files, is refused with its number', () => {
  const text = '[global]\ncluster = c\nrole = node\nEOF\n';
  expect(() => parseDaemonConfig(text, 'sonar.cfg')).toThrow('sonar.cfg, line 4: expected [section] or name = value');
});
