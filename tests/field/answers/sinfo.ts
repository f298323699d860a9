import { parseAvailability, parseNodeKinds } from '../../../src/hpc/live-profile.ts';
import { parseNodeStates, parsePartitions } from '../../../src/telemetry/produce/slurm/cluster.ts';
import { type Answers, BANNER, MANY, manyLines, SLURM_AWAY } from './answer.ts';

const KIND = 'batch*|64|256000|1-00:00:00|gpu:a100:4(S:0-1)|12|ib,avx512\n';
const KINDS = [['batch', true, 64, 256_000, 86_400, { count: 4, type: 'a100' }, 12, ['ib', 'avx512']]];

/** sinfo -e -o '%P|%c|%m|%l|%G|%D|%f' --noheader */
export const sinfoKinds: Answers = {
  program: 'sinfo',
  question: 'the kinds of nodes',
  read: (text) => {
    const kinds = parseNodeKinds(text);
    return kinds.length > 10
      ? kinds.length
      : kinds.map((kind) => [
          kind.name,
          kind.isDefault,
          kind.cpus,
          kind.memoryMb,
          kind.walltimeSeconds,
          kind.gpus,
          kind.nodes,
          kind.features,
        ]);
  },
  rows: {
    old: [
      '20.11, nodes that differ',
      'batch*|64+|256000+|infinite|(null)|12|(null)\n',
      [['batch', true, 64, 256_000, 31_536_000, undefined, 12, []]],
    ],
    current: ['22.05.8', KIND, KINDS],
    newest: [
      '26.05.3, without a type',
      KIND.replace('gpu:a100:4(S:0-1)', 'gpu:4'),
      [[...(KINDS[0] ?? []).slice(0, 5), { count: 4, type: null }, 12, ['ib', 'avx512']]],
    ],
    nothing: ['a cluster without partitions', '', []],
    'an error on stdout': [
      'a wrapper that joins the streams',
      'slurm_load_partitions: Unable to contact slurm controller (connect failure)\n',
      [],
    ],
    'a banner before it': ['a shell of the site', BANNER + KIND, KINDS],
    'too much': ['a kind a node', manyLines(() => KIND), MANY],
    'cut off': ['a wrapper that ended', `${KIND}long|64|256000|2-0`, KINDS],
  },
};

const STATES = { batch: { idle: 2, mixed: 1, allocated: 3, down: 1, total: 7 } };

/** sinfo -h -o '%P|%T|%D' */
export const sinfoStates: Answers = {
  program: 'sinfo',
  question: 'how many nodes are free',
  read: (text) => Object.fromEntries(parseAvailability(text)),
  rows: {
    old: ['20.11', 'batch*|idle|2\nbatch*|mixed|1\nbatch*|allocated|3\nbatch*|drained|1\n', STATES],
    current: [
      '22.05.8, a node does not answer',
      'batch*|idle~|2\nbatch*|mixed*|1\nbatch*|allocated|3\nbatch*|down*|1\n',
      { batch: { ...STATES.batch, mixed: 0, down: 2 } },
    ],
    newest: ['26.05.3, planned ones', 'batch*|idle|2\nbatch*|mixed-|1\nbatch*|allocated@|3\nbatch*|drain$|1\n', STATES],
    nothing: ['a cluster without partitions', '', {}],
    'an error on stdout': ['a wrapper that joins the streams', SLURM_AWAY, {}],
    'a banner before it': [
      'a shell of the site',
      `| cores | memory | state |\n${BANNER}batch*|idle|2\n`,
      { batch: { idle: 2, mixed: 0, allocated: 0, down: 0, total: 2 } },
    ],
    'too much': [
      'a line a node',
      manyLines(() => 'batch|idle|1\n'),
      { batch: { idle: MANY, mixed: 0, allocated: 0, down: 0, total: MANY } },
    ],
    'cut off': [
      'a wrapper that ended',
      'batch*|idle|2\nbatch*|down',
      { batch: { idle: 2, mixed: 0, allocated: 0, down: 0, total: 2 } },
    ],
  },
};

/** sinfo -h -a -O 'Partition:|,NodeList:|' */
export const sinfoPartitions: Answers = {
  program: 'sinfo',
  question: 'the nodes of partitions',
  read: (text) => {
    const found = parsePartitions(text);
    return (found[0]?.nodes?.length ?? 0) > 10 ? found[0]?.nodes?.length : found;
  },
  rows: {
    old: ['20.11', 'batch*|n[1-3],m1|\n', [{ name: 'batch', nodes: ['n[1-3]', 'm1'] }]],
    current: ['22.05.8, without nodes', 'batch||\n', [{ name: 'batch', nodes: [] }]],
    newest: [
      '26.05.3',
      'batch*|n[1-3]|\nall|n[1-3]|\n',
      [
        { name: 'batch', nodes: ['n[1-3]'] },
        { name: 'all', nodes: ['n[1-3]'] },
      ],
    ],
    nothing: ['a cluster without partitions', '', []],
    'an error on stdout': ['a wrapper that joins the streams', SLURM_AWAY, []],
    'a banner before it': ['a shell of the site', `${BANNER}batch*|n[1-3]|\n`, [{ name: 'batch', nodes: ['n[1-3]'] }]],
    'too much': ['a line a node', manyLines((at) => `batch|n${at}|\n`), MANY],
    'cut off': [
      'a wrapper that ended: n is no node',
      'batch*|n[1-3]|\nall|n[1-',
      [{ name: 'batch', nodes: ['n[1-3]'] }],
    ],
  },
};

/** sinfo -h -a -e -O 'NodeList:|,StateComplete:|' */
export const sinfoNodeStates: Answers = {
  program: 'sinfo',
  question: 'the states of nodes',
  read: (text) => {
    const found = parseNodeStates(text);
    return (found[0]?.names?.length ?? 0) > 10 ? found[0]?.names?.length : found;
  },
  rows: {
    old: ['20.11', 'n[1-3]|idle|\n', [{ names: ['n[1-3]'], states: ['IDLE'] }]],
    current: [
      '22.05.8, a node that does not answer',
      'n1|down+not_responding|\n',
      [{ names: ['n1'], states: ['DOWN', 'NOT_RESPONDING'] }],
    ],
    newest: [
      '26.05.3',
      'n1|mixed+planned+dynamic_norm|\n',
      [{ names: ['n1'], states: ['MIXED', 'PLANNED', 'DYNAMIC_NORM'] }],
    ],
    nothing: ['a cluster without nodes', '', []],
    'an error on stdout': ['a wrapper that joins the streams', SLURM_AWAY, []],
    'a banner before it': ['a shell of the site', `${BANNER}n1|idle|\n`, [{ names: ['n1'], states: ['IDLE'] }]],
    'too much': ['a line a node', manyLines((at) => `n${at}|idle|\n`), MANY],
    'cut off': ['a wrapper that ended', 'n1|idle|\nn2|dow', [{ names: ['n1'], states: ['IDLE'] }]],
  },
};
