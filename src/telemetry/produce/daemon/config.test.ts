import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it, test } from 'vitest';
import { parseDaemonConfig } from './config.ts';
import { nextRun } from './daemon.ts';

const GLOBAL = '[global]\ncluster = c.org\nrole = node\n';
const parse = (text: string) => parseDaemonConfig(text, 'sonar.ini');

it('a configuration has the settings of its file, with comments, blanks and quotes left out', () => {
  const config = parse(
    `# comment
[global]
cluster = "c.org"
role=master
  topic-prefix= 'zap'
lock-directory = /run/lock

[kafka]
broker-address = b.org:9093
sending-window=1h
ca-file = \`ca.pem\`
sasl-password-file = secret

[ps]
cadence = 5m
load = false
rollup = true
min-cpu-time = 1m
exclude-system-jobs = false
exclude-users = bob, alice
exclude-commands = ls,runuser
[slurm]
cadence = 1h
window = 90m
batch-size=17
uncompleted=false
[sysinfo]
cadence = 24h
on-startup = false
topo-svg-command = "x y"
[programs]
sacct-command = /opt/sacct
scontrol-command = ""
`.replace('topo-svg-command = "x y"\n', ''),
  );
  expect(config).toEqual({
    cluster: 'c.org',
    role: 'master',
    hostnameOnly: true,
    topicPrefix: 'zap',
    lockFolder: '/run/lock',
    sink: {
      kind: 'kafka',
      broker: 'b.org:9093',
      sendingWindowSeconds: 3600,
      caFile: 'ca.pem',
      password: undefined,
      passwordFile: 'secret',
    },
    sample: {
      cadenceSeconds: 300,
      load: false,
      rollUp: true,
      filters: {
        excludeSystemJobs: false,
        excludeUsers: ['bob', 'alice'],
        excludeCommands: ['ls', 'runuser'],
        minCpuSeconds: 60,
        minCpuPercent: undefined,
        minMemoryPercent: undefined,
      },
    },
    jobs: { cadenceSeconds: 3600, windowSeconds: 5400, uncompleted: false, batchSize: 17 },
    sysinfo: { cadenceSeconds: 86_400, onStartup: false },
    clusterState: undefined,
    programs: { sacct: '/opt/sacct', scontrol: '', sinfo: undefined, topologySvg: undefined, topologyText: undefined },
    oneshot: false,
    timeLimitSeconds: undefined,
    notices: [],
  });
});

it('what a file does not set has the defaults of Sonar, and without a sink messages are printed', () => {
  expect(parse(`${GLOBAL}[sample]\ncadence = 30s\n[jobs]\ncadence = 15m\n[sysinfo]\ncadence=48h`)).toMatchObject({
    hostnameOnly: true,
    topicPrefix: '',
    sink: { kind: 'stdout' },
    sample: { cadenceSeconds: 30, load: true, rollUp: false, filters: { excludeSystemJobs: true } },
    jobs: { windowSeconds: 1800, batchSize: undefined },
    sysinfo: { cadenceSeconds: 172_800, onStartup: true },
  });
});

test.each([
  ['[global]\nrole = node', 'sonar.ini: [global] has no cluster'],
  ['[global]\ncluster = c', 'sonar.ini: [global] has no role: expected node or master'],
  ['[global]\ncluster = c\nrole = boss', 'sonar.ini, line 3: role: expected node or master, found "boss"'],
  [`${GLOBAL}colour = red`, 'sonar.ini, line 4: unknown name colour in [global]'],
  [`${GLOBAL}[colours]\nred = 1`, 'sonar.ini, line 5: unknown section [colours]'],
  [`${GLOBAL}[colours]`, 'sonar.ini: unknown section [colours]'],
  ['cluster = c', 'sonar.ini, line 1: "cluster" stands before the first [section]'],
  [`${GLOBAL}nonsense`, 'sonar.ini, line 4: expected [section] or name = value, found "nonsense"'],
  [`${GLOBAL}topic-prefix =`, 'sonar.ini, line 4: topic-prefix has no value; write "" for an empty one'],
  [`${GLOBAL}role = node`, 'sonar.ini, line 4: role is given twice in this section'],
  [`${GLOBAL}[ps]\nload = true\n[sample]\nload = true`, 'sonar.ini, line 7: load of [sample] is given twice'],
  [`${GLOBAL}[sample]\ncadence = 7m`, 'line 5: cadence: expected seconds or minutes that divide 60'],
  [`${GLOBAL}[sample]\ncadence = 0s`, 'line 5: cadence: expected seconds or minutes that divide 60'],
  [`${GLOBAL}[sample]\ncadence = soon`, 'line 5: cadence: expected a duration such as 2h, 30m or 45s, found "soon"'],
  [`${GLOBAL}[sample]\nload = yes`, 'line 5: load: expected true or false, found "yes"'],
  [`${GLOBAL}[jobs]\nbatch-size = 0`, 'line 5: batch-size: expected a whole number of 1 or more, found "0"'],
  [`${GLOBAL}[kafka]\nca-file = x`, 'line 5: [kafka] has no broker-address'],
  [`${GLOBAL}[kafka]\nbroker-address = x`, 'line 5: broker-address: expected an address'],
  [`${GLOBAL}[kafka]\nrest-endpoint = http://x`, 'line 5: rest-endpoint is not supported'],
  [`${GLOBAL}[http]\napi-root = x`, 'line 5: api-root: expected a URL'],
  [
    `${GLOBAL}[http]\napi-root = http://x\nupload-password = a\nupload-password-file = b`,
    'expected one of upload-password and',
  ],
  [`${GLOBAL}[http]\napi-root = http://x\n[directory]\ndata-directory = y`, 'found http and directory'],
  [`${GLOBAL}[programs]\nsinfo-command = sinfo`, 'line 5: sinfo-command: expected an absolute path'],
])('a configuration with an error is refused with its line: %j', (text, words) => {
  expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'CONFIGURATION_REFUSED' }));
  expect(() => parse(text)).toThrow(words);
});

it('a setting without effect, and a former name, are reported with their lines', () => {
  const { notices, sink } = parse(`${GLOBAL}[kafka]\nremote-host = b:1\n[debug]\nverbose = true`);
  expect(sink).toMatchObject({ kind: 'kafka', broker: 'b:1' });
  expect(notices).toEqual([
    'sonar.ini, line 5: remote-host is now broker-address of [kafka]',
    'sonar.ini, line 7: verbose has no effect',
  ]);
});

const corpus = `${process.env['SONAR_CORPUS'] ?? ''}/daemon-config`;

it.skipIf(!existsSync(corpus))(
  'every configuration of a corpus of Sonar is read (skipped where SONAR_CORPUS names none)',
  () => {
    const files = readdirSync(corpus);
    expect(files).toHaveLength(13);
    const kinds = files.map((file) => parseDaemonConfig(readFileSync(`${corpus}/${file}`, 'utf8'), file).sink.kind);
    expect(new Set(kinds)).toEqual(new Set(['kafka', 'directory', 'http']));
  },
);

test.each([
  [0, 60, 60_000],
  [59_999, 60, 60_000],
  [60_000, 60, 120_000],
  [Date.UTC(2026, 2, 9, 23, 59, 59), 86_400, Date.UTC(2026, 2, 10)],
])('after %d ms, a cadence of %d s is next due at %d ms of the UTC clock', (now, cadence, due) =>
  expect(nextRun(now, cadence)).toBe(due),
);
