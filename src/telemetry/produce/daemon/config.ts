import { listValue } from '../../../core/text/list-value.ts';
import type { SampleFilters } from '../sample/filters.ts';
import { configurationRefused, type Ini, type IniSetting, parseIni } from './ini.ts';
import * as read from './values.ts';

/** An operation that a daemon repeats. */
interface RepeatedOperation {
  readonly cadenceSeconds: number;
}

/** Where a daemon sends its messages. */
type SinkConfig =
  | { readonly kind: 'stdout' }
  | { readonly kind: 'directory'; readonly folder: string }
  | (RemoteConfig & { readonly kind: 'http'; readonly root: string; readonly proxy: string | undefined })
  | (RemoteConfig & { readonly kind: 'kafka'; readonly broker: string });

export interface RemoteConfig {
  readonly sendingWindowSeconds: number;
  readonly caFile: string | undefined;
  readonly password: string | undefined;
  readonly passwordFile: string | undefined;
}

/** The configuration of a daemon, with all defaults. */
export interface DaemonConfig {
  readonly cluster: string;
  readonly role: 'node' | 'master';
  readonly hostnameOnly: boolean;
  readonly topicPrefix: string;
  readonly lockFolder: string | undefined;
  readonly sink: SinkConfig;
  readonly sample:
    | (RepeatedOperation & { readonly load: boolean; readonly rollUp: boolean; readonly filters: SampleFilters })
    | undefined;
  readonly sysinfo: (RepeatedOperation & { readonly onStartup: boolean }) | undefined;
  readonly jobs:
    | (RepeatedOperation & {
        readonly windowSeconds: number;
        readonly uncompleted: boolean;
        readonly batchSize: number | undefined;
      })
    | undefined;
  readonly clusterState: (RepeatedOperation & { readonly onStartup: boolean }) | undefined;
  /** Undefined: the program on PATH. Empty: none. */
  readonly programs: Readonly<
    Record<'sacct' | 'scontrol' | 'sinfo' | 'topologySvg' | 'topologyText', string | undefined>
  >;
  readonly oneshot: boolean;
  readonly timeLimitSeconds: number | undefined;
  /** A sentence for each setting that is read and has no effect. */
  readonly notices: readonly string[];
}

/** Names that files for older releases of Sonar have, and what they are called now. */
const FORMER: Readonly<Record<string, string>> = {
  'kafka remote-host': 'kafka broker-address',
  'kafka poll-interval': 'kafka sending-window',
  'jobs incomplete': 'jobs uncompleted',
  'sysinfo topo-svg-command': 'programs topo-svg-command',
  'sysinfo topo-text-command': 'programs topo-text-command',
};

/** Sections with two names. */
const SECTIONS: Readonly<Record<string, string>> = { ps: 'sample', slurm: 'jobs' };

/** Settings that are read and have no effect here. */
const IGNORED = new Set([
  'cluster domain',
  'sample batchless',
  'programs curl-command',
  'debug verbose',
  'debug output-delay',
  'http http-payload-limit',
  'kafka http-payload-limit',
  // Messages wait in the spool for as long as it has room.
  'http timeout',
  'kafka timeout',
]);

/**
 * Reads the configuration of a daemon, in the format of Sonar.
 *
 * Throws: `CONFIGURATION_REFUSED` with the line, also for a section or name that is not known.
 */
export function parseDaemonConfig(text: string, path: string): DaemonConfig {
  const settings = createSettings(parseIni(text, path), path);
  const { take, has } = settings;
  const cluster = take('global', 'cluster', read.textValue);
  const role = take('global', 'role', read.oneOf('node', 'master'));
  if (cluster === undefined) throw configurationRefused(path, undefined, '[global] has no cluster');
  if (role === undefined) throw configurationRefused(path, undefined, '[global] has no role: expected node or master');
  const sampled = take('sample', 'cadence', read.cadence);
  const jobsEvery = take('jobs', 'cadence', read.cadence);
  const sysinfoEvery = take('sysinfo', 'cadence', read.cadence);
  const clusterEvery = take('cluster', 'cadence', read.cadence);
  const filters: SampleFilters = {
    excludeSystemJobs: take('sample', 'exclude-system-jobs', read.flagValue) ?? true,
    excludeUsers: take('sample', 'exclude-users', listValue) ?? [],
    excludeCommands: take('sample', 'exclude-commands', listValue) ?? [],
    minCpuSeconds: take('sample', 'min-cpu-time', read.duration),
    minCpuPercent: undefined,
    minMemoryPercent: undefined,
  };
  const load = take('sample', 'load', read.flagValue) ?? true;
  const rollUp = take('sample', 'rollup', read.flagValue) ?? false;
  const window = take('jobs', 'window', read.duration);
  const uncompleted = take('jobs', 'uncompleted', read.flagValue);
  const batchSize = take('jobs', 'batch-size', read.countValue);
  const sysinfoOnStartup = take('sysinfo', 'on-startup', read.flagValue) ?? true;
  const clusterOnStartup = take('cluster', 'on-startup', read.flagValue) ?? true;
  const config: DaemonConfig = {
    cluster,
    role,
    hostnameOnly: take('global', 'hostname-only', read.flagValue) ?? true,
    topicPrefix: take('global', 'topic-prefix', read.textValue) ?? '',
    lockFolder: take('global', 'lock-directory', read.textValue),
    sink: sinkOf(settings, path, ['kafka', 'http', 'directory'].filter(has)),
    sample: sampled === undefined ? undefined : { cadenceSeconds: sampled, load, rollUp, filters },
    sysinfo: sysinfoEvery === undefined ? undefined : { cadenceSeconds: sysinfoEvery, onStartup: sysinfoOnStartup },
    jobs:
      jobsEvery === undefined
        ? undefined
        : {
            cadenceSeconds: jobsEvery,
            windowSeconds: window ?? 2 * jobsEvery,
            // Jobs are reported once for each state, so those that wait or run cost little; Sonar leaves them out.
            uncompleted: uncompleted ?? true,
            batchSize,
          },
    clusterState:
      clusterEvery === undefined ? undefined : { cadenceSeconds: clusterEvery, onStartup: clusterOnStartup },
    programs: {
      sacct: take('programs', 'sacct-command', read.program),
      scontrol: take('programs', 'scontrol-command', read.program),
      sinfo: take('programs', 'sinfo-command', read.program),
      topologySvg: take('programs', 'topo-svg-command', read.textValue),
      topologyText: take('programs', 'topo-text-command', read.textValue),
    },
    oneshot: take('debug', 'oneshot', read.flagValue) ?? false,
    timeLimitSeconds: take('debug', 'time-limit', read.duration),
    notices: settings.finish(),
  };
  return config;
}

type Settings = ReturnType<typeof createSettings>;

function sinkOf({ take, lineOf }: Settings, path: string, sinks: readonly string[]): SinkConfig {
  const [first, second] = sinks;
  if (second !== undefined)
    throw configurationRefused(
      path,
      lineOf(second),
      `expected one of [kafka], [http] and [directory], found ${sinks.join(' and ')}`,
    );
  const needed = <T>(section: string, name: string, value: T | undefined): T => {
    if (value === undefined) throw configurationRefused(path, lineOf(section), `[${section}] has no ${name}`);
    return value;
  };
  const remote = (section: string, password: string): RemoteConfig => {
    const [given, file] = [take(section, password, read.textValue), take(section, `${password}-file`, read.textValue)];
    if (given !== undefined && file !== undefined)
      throw configurationRefused(path, lineOf(section), `expected one of ${password} and ${password}-file`);
    return {
      sendingWindowSeconds: take(section, 'sending-window', read.duration) ?? 300,
      caFile: take(section, 'ca-file', read.textValue),
      password: given,
      passwordFile: file,
    };
  };
  if (first === 'directory')
    return {
      kind: 'directory',
      folder: needed(first, 'data-directory', take(first, 'data-directory', read.textValue)),
    };
  if (first === 'http')
    return {
      kind: 'http',
      root: needed(first, 'api-root', take(first, 'api-root', read.url)),
      proxy: take(first, 'http-proxy', read.textValue),
      ...remote(first, 'upload-password'),
    };
  if (first === 'kafka') {
    if (take(first, 'rest-endpoint', read.textValue) !== undefined)
      throw configurationRefused(path, lineOf(first), 'rest-endpoint is not supported: use broker-address, or [http]');
    return {
      kind: 'kafka',
      broker: needed(first, 'broker-address', take(first, 'broker-address', read.address)),
      ...remote(first, 'sasl-password'),
    };
  }
  return { kind: 'stdout' };
}

/** Settings of which each is taken once; what is left at the end is not known. */
function createSettings(ini: Ini, path: string) {
  const all = new Map<string, IniSetting & { readonly section: string; readonly name: string }>();
  const notices: string[] = [];
  const lines = new Map<string, number>();
  for (const [given, values] of ini) {
    const section = SECTIONS[given] ?? given;
    for (const [name, setting] of values) {
      const now = FORMER[`${section} ${name}`];
      const key = now ?? `${section} ${name}`;
      const called = key.replace(/(\S+) (\S+)/, '$2 of [$1]');
      if (now !== undefined) notices.push(`${path}, line ${setting.line}: ${name} is now ${called}`);
      if (all.has(key)) throw configurationRefused(path, setting.line, `${called} is given twice`);
      all.set(key, { ...setting, section: given, name });
      lines.set(section, Math.min(lines.get(section) ?? Infinity, setting.line));
    }
    if (values.size === 0 && !KNOWN.has(section))
      throw configurationRefused(path, undefined, `unknown section [${given}]`);
  }
  return {
    take<T>(section: string, name: string, reader: (text: string) => T): T | undefined {
      const setting = all.get(`${section} ${name}`);
      if (setting === undefined) return undefined;
      all.delete(`${section} ${name}`);
      try {
        return reader(setting.value);
      } catch (error) {
        throw configurationRefused(path, setting.line, `${setting.name}: ${(error as Error).message}`);
      }
    },
    has: (section: string) => lines.has(section),
    lineOf: (section: string) => lines.get(section),
    finish(): readonly string[] {
      for (const [key, { line, section, name }] of all) {
        if (IGNORED.has(key)) {
          notices.push(`${path}, line ${line}: ${name} has no effect`);
          continue;
        }
        const words = KNOWN.has(key.split(' ')[0] as string)
          ? `unknown name ${name} in [${section}]`
          : `unknown section [${section}]`;
        throw configurationRefused(path, line, words);
      }
      return notices;
    },
  };
}

const KNOWN = new Set([
  'global',
  'kafka',
  'http',
  'directory',
  'sample',
  'sysinfo',
  'jobs',
  'cluster',
  'programs',
  'debug',
]);
