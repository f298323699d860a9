import { parsePartitionRules, parseLeftOnNodes } from '../../../src/hpc/partition-rules.ts';
import {
  fateIn,
  openScontrol,
  parseAgeSeconds,
  parseArraySize,
  parseGranted,
  parseLicenses,
  parseManner,
  parseNow,
  restartsIn,
  scriptEndIn,
} from '../../../src/cluster/slurm/scontrol.ts';
import { type Answers, BANNER, MANY, manyLines, SLURM_AWAY } from './answer.ts';

const answering = (text: string) => openScontrol(() => Promise.resolve(text));

const JOB =
  'JobId=36 JobName=a UserId=ann(1000) JobState=FAILED Reason=NonZeroExitCode Restarts=1 ExitCode=12:0 TRES=cpu=2,mem=500M,node=1 MinMemoryNode=0 Command=/tmp/a.sh StdErr=/tmp/a.err StdOut=/tmp/a.out Power=\n';
const NONE = { fate: 'unknown', restarts: 0, end: undefined, grantedBytes: undefined };
const jobIs = (changes: object = {}) => ({
  fate: 'over',
  restarts: 1,
  end: { word: 'FAILED', exitCode: 12, signal: 0, rawId: 36, files: ['/tmp/a.err', '/tmp/a.out'] },
  grantedBytes: 500 * 2 ** 20,
  ...changes,
});

/** scontrol -o show job … */
export const scontrolJob: Answers = {
  program: 'scontrol',
  question: 'how an allocation stands',
  read: async (text) => {
    const line = await answering(text).job(36);
    return {
      fate: fateIn(line),
      restarts: restartsIn(line),
      end: scriptEndIn(line),
      grantedBytes: parseGranted(line, { cpus: 2, nodes: 1 }),
    };
  },
  rows: {
    old: ['20.11, memory by CPU', JOB.replace('MinMemoryNode=0', 'MinMemoryCPU=250M'), jobIs()],
    current: ['22.05.8', JOB, jobIs()],
    newest: [
      '26.05.3',
      JOB.replace('TRES=cpu=2,mem=500M', 'ReqTRES=cpu=2,mem=900M,node=1 AllocTRES=cpu=2,mem=500M').replace(
        'ExitCode=12:0',
        'ExitCode=0:9',
      ),
      jobIs({ end: { word: 'FAILED', exitCode: 0, signal: 9, rawId: 36, files: ['/tmp/a.err', '/tmp/a.out'] } }),
    ],
    nothing: ['22.05.8, with -o', 'No jobs in the system\n', NONE],
    'an error on stdout': ['a wrapper that joins the streams', SLURM_AWAY, NONE],
    'a banner before it': ['a shell of the site', BANNER + JOB, jobIs()],
    'too much': ['all tasks of an array', manyLines((at) => JOB.replace('JobId=36', `JobId=${at}`)), jobIs()],
    'cut off': ['a wrapper that ended: its state is not known', JOB.slice(0, JOB.indexOf('FAILED') + 3), NONE],
  },
};

const CONFIG =
  'Configuration data as of 2026-11-29T16:30:00\nBOOT_TIME               = 2026-11-29T16:00:00\nKillWait                = 30 sec\nMaxArraySize            = 1001\nProctrackType           = proctrack/cgroup\n';
const CONFIGURED = {
  nowMs: Date.parse('2026-11-29T16:30:00'),
  ageSeconds: 1800,
  tasks: 1001,
  manner: { killWaitSeconds: 30, isOneByOne: false, reachesAll: false },
};
const UNKNOWN = {
  nowMs: undefined,
  ageSeconds: undefined,
  tasks: 1,
  manner: { killWaitSeconds: undefined, isOneByOne: false, reachesAll: false },
};

/** scontrol show config */
export const scontrolConfig: Answers = {
  program: 'scontrol',
  question: 'how the cluster is set up',
  read: async (text) => {
    const config = await answering(text).config();
    return {
      nowMs: parseNow(config),
      ageSeconds: parseAgeSeconds(config),
      tasks: parseArraySize(config),
      manner: parseManner(config),
    };
  },
  rows: {
    old: [
      '20.11, processes by their groups',
      CONFIG.replace('cgroup', 'pgid'),
      { ...CONFIGURED, manner: { ...CONFIGURED.manner, isOneByOne: true } },
    ],
    current: ['22.05.8', CONFIG, CONFIGURED],
    newest: [
      '26.05.3, times in seconds',
      CONFIG.replace('2026-11-29T16:30:00', '1795969800').replace('2026-11-29T16:00:00', '1795968000'),
      { ...CONFIGURED, nowMs: 1_795_969_800_000 },
    ],
    nothing: ['a wrapper that prints nothing', '', UNKNOWN],
    'an error on stdout': ['a wrapper that joins the streams', SLURM_AWAY, UNKNOWN],
    'a banner before it': ['a shell of the site', BANNER + CONFIG, CONFIGURED],
    'too much': ['lines that are not ours', CONFIG + manyLines((at) => `Line${at} = 1\n`), CONFIGURED],
    'cut off': [
      'a wrapper that ended',
      CONFIG.slice(0, CONFIG.indexOf('1001') - 3),
      { ...CONFIGURED, tasks: 1, manner: { ...CONFIGURED.manner } },
    ],
  },
};

const UNREAD = { refused: 'scontrol printed no names of nodes for n[1-3]' };

/** scontrol show hostnames n[1-3] */
export const scontrolNames: Answers = {
  program: 'scontrol',
  question: 'the names in a list of nodes',
  read: async (text) => {
    const names = await answering(text).hostnames('n[1-3]');
    return names.length > 10 ? names.length : names;
  },
  rows: {
    old: ['20.11', 'n1\nn2\nn3\n', ['n1', 'n2', 'n3']],
    current: ['22.05.8', 'n1\nn2\nn3\n', ['n1', 'n2', 'n3']],
    newest: [
      '26.05.3, with domains',
      'n1.site.example\nn2.site.example\nn3.site.example\n',
      ['n1.site.example', 'n2.site.example', 'n3.site.example'],
    ],
    nothing: ['a wrapper that prints nothing', '', UNREAD],
    'an error on stdout': ['22.05.8, a list that is none', 'Invalid hostlist: n[1-3\n', UNREAD],
    'a banner before it': ['a shell of the site', `${BANNER}n1\nn2\nn3\n`, ['n1', 'n2', 'n3']],
    'too much': ['a list of 100,000 nodes', manyLines((at) => `n${at}\n`), MANY],
    'cut off': ['a wrapper that ended: n is no node', 'n1\nn2\nn', ['n1', 'n2']],
  },
};

const PARTITION =
  'PartitionName=batch\n   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL\n   MaxNodes=4 MaxTime=1-00:00:00 MinNodes=1 RootOnly=NO\n   OverSubscribe=EXCLUSIVE State=UP\n   MaxMemPerNode=UNLIMITED MaxCPUsPerNode=64\n';
const rules = (changes: object = {}) => ({
  minNodes: 1,
  maxNodes: 4,
  isShared: false,
  isExclusive: true,
  maxCpus: 64,
  maxMemoryMb: undefined,
  access: { state: 'UP' },
  ...changes,
});
const RULELESS = {
  minNodes: null,
  maxNodes: null,
  isShared: false,
  isExclusive: false,
  maxCpus: undefined,
  maxMemoryMb: undefined,
  access: {},
};

/** scontrol show partition … */
export const scontrolPartition: Answers = {
  program: 'scontrol',
  question: 'the rules of a partition',
  read: async (text) => parsePartitionRules(await answering(text).partition('batch')),
  rows: {
    old: ['20.11', PARTITION.replace('MaxMemPerNode=UNLIMITED', 'MaxMemPerNode=4000'), rules({ maxMemoryMb: 4000 })],
    current: ['22.05.8', PARTITION, rules()],
    newest: [
      '26.05.3, some accounts',
      PARTITION.replace('AllowAccounts=ALL', 'AllowAccounts=a,b'),
      rules({ access: { state: 'UP', allow_accounts: ['a', 'b'] } }),
    ],
    nothing: ['a wrapper that prints nothing', '', RULELESS],
    'an error on stdout': ['22.05.8, no such partition', 'Partition batch not found\n', RULELESS],
    'a banner before it': ['a shell of the site', BANNER + PARTITION, rules()],
    'too much': ['a list of all nodes', `${PARTITION}   Nodes=${'n1,'.repeat(MANY)}\n`, rules()],
    'cut off': [
      'a wrapper that ended',
      PARTITION.slice(0, PARTITION.indexOf('   OverSubscribe')),
      rules({ isExclusive: false, maxCpus: undefined, access: {} }),
    ],
  },
};

const NODE =
  'NodeName=n1 CPUAlloc=0 CPUEfctv=60 CPUTot=64 ThreadsPerCore=2 CoreSpecCount=2 RealMemory=64000 MemSpecLimit=1000 Partitions=batch,all State=IDLE\n';
const LEFT = { batch: { cpus: 60, memoryMb: 63_000 }, all: { cpus: 60, memoryMb: 63_000 } };

/** scontrol -o show node */
export const scontrolNodes: Answers = {
  program: 'scontrol',
  question: 'what nodes leave to jobs',
  read: async (text) => Object.fromEntries(parseLeftOnNodes(await answering(text).nodes())),
  rows: {
    old: ['20.11, which counts no effective CPUs', NODE.replace('CPUEfctv=60 ', ''), LEFT],
    current: ['22.05.8', NODE, LEFT],
    newest: [
      '26.05.3, a smaller node beside it',
      `${NODE}NodeName=n2 CPUEfctv=8 CPUTot=8 RealMemory=8000 Partitions=all\n`,
      { ...LEFT, all: { cpus: 8, memoryMb: 8000 } },
    ],
    nothing: ['a wrapper that prints nothing', '', {}],
    'an error on stdout': ['a wrapper that joins the streams', SLURM_AWAY, {}],
    'a banner before it': ['a shell of the site', BANNER + NODE, LEFT],
    'too much': ['100,000 nodes', manyLines(() => NODE), LEFT],
    'cut off': ['a wrapper that ended', NODE.slice(0, NODE.indexOf(' Partitions')), {}],
  },
};

const LICENSE = 'LicenseName=matlab Total=4 Used=2 Free=2 Reserved=0 Remote=no\n';
const COUNTED = [{ name: 'matlab', total: 4, used: 2 }];

/** scontrol -o show licenses */
export const scontrolLicenses: Answers = {
  program: 'scontrol',
  question: 'which licenses the cluster has',
  read: async (text) => {
    const found = parseLicenses(await answering(text).licenses());
    return found.length > 10 ? found.length : found;
  },
  rows: {
    old: ['16.05, before reservations were counted', 'LicenseName=matlab Total=4 Used=2 Free=2 Remote=no\n', COUNTED],
    current: [
      '22.05.8, one of a server beside it',
      `LicenseName=ansys@srv Total=2 Used=0 Free=2 Reserved=0 Remote=no\n${LICENSE}`,
      [{ name: 'ansys@srv', total: 2, used: 0 }, ...COUNTED],
    ],
    newest: [
      '23.02 and later, a remote one',
      'LicenseName=matlab Total=4 Used=2 Free=2 Reserved=0 Remote=yes LastConsumed=1 LastDeficit=0 LastUpdate=2026-11-29T16:30:00\n',
      COUNTED,
    ],
    nothing: ['22.05.8, without licenses', 'No licenses configured in Slurm.\n', []],
    'an error on stdout': [
      'a wrapper that joins the streams',
      SLURM_AWAY,
      {
        refused: `scontrol printed no line of the form that it was asked for: ${JSON.stringify(SLURM_AWAY.trimEnd())}`,
      },
    ],
    'a banner before it': ['a shell of the site', BANNER + LICENSE, COUNTED],
    'too much': ['more licenses than any site has', manyLines((at) => LICENSE.replace('matlab', `l${at}`)), MANY],
    'cut off': ['a wrapper that ended', `${LICENSE}LicenseName=ansys Tot`, COUNTED],
  },
};
