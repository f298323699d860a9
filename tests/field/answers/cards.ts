import { HABANA_QUERY, parseHabanaCards } from '../../../src/cluster/gpu/habana-text.ts';
import { parseRocmCards, parseRocmUses } from '../../../src/cluster/gpu/amd-text.ts';
import {
  parseCards,
  parseGpuUses,
  parseSlices,
  QUERY,
  type QueryMember,
} from '../../../src/cluster/gpu/nvidia-text.ts';
import { parseXpuCards, parseXpuStates, parseXpuUses } from '../../../src/cluster/gpu/xpu-text.ts';
import type { GpuCard } from '../../../src/cluster/gpu/gpu.ts';
import { type Answers, BANNER, MANY, manyLines } from './answer.ts';

const FAILED =
  "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n\n";
const few = (found: readonly unknown[]) => (found.length > 10 ? found.length : found);

const VALUES: Readonly<Partial<Record<QueryMember, string>>> = {
  index: '0',
  uuid: 'GPU-a',
  'pci.bus_id': '00000000:3B:00.0',
  name: 'NVIDIA A100-SXM4-80GB',
  'memory.total': '81920',
  'memory.used': '1024',
  'utilization.gpu': '77',
};
const card = (changes: Readonly<Partial<Record<QueryMember, string>>> = {}) =>
  `${QUERY.map((member) => changes[member] ?? VALUES[member] ?? '[N/A]').join(', ')}\n`;
const CARD = ['GPU-a', 81_920 * 1024, 77, false];

/** nvidia-smi --query-gpu=… --format=csv,noheader,nounits */
export const nvidiaCards: Answers = {
  program: 'nvidia-smi',
  question: 'the cards',
  read: (text) => {
    const { cards, states } = parseCards(text, QUERY, 'n1');
    return few(
      cards.map(({ uuid, memoryKilobytes }, at) => [
        uuid,
        memoryKilobytes,
        states[at]?.computePercent,
        states[at]?.isFailing,
      ]),
    );
  },
  rows: {
    old: [
      'driver 418, words for what is missing',
      card({ 'mig.mode.current': '[Not Supported]', 'fan.speed': '[Not Supported]' }),
      [CARD],
    ],
    current: ['driver 550', card(), [CARD]],
    newest: [
      'driver 580, a card without memory of its own (GB10)',
      card({ 'memory.total': '[N/A]', 'memory.used': '[N/A]' }),
      [['GPU-a', 0, 77, false]],
    ],
    nothing: ['driver 550', 'No devices were found\n', []],
    'an error on stdout': ['driver 550, the module of the kernel is another one', FAILED, []],
    'a banner before it': ['a wrapper of the site', BANNER + card(), [CARD]],
    'too much': ['more cards than a node has', manyLines((at) => card({ index: String(at), uuid: `GPU-${at}` })), MANY],
    'cut off': ['it was killed', card() + card({ index: '1', uuid: 'GPU-b' }).slice(0, 50), [CARD]],
  },
};

const { cards: NVIDIA_CARDS, states: NVIDIA_STATES } = parseCards(card(), QUERY, 'n1');
const use = (pid: number, memoryKilobytes: number) => ({
  pid,
  index: 0,
  uuid: 'GPU-a',
  computePercent: 0,
  memoryPercent: 0,
  memoryKilobytes,
});

/** nvidia-smi --query-compute-apps=gpu_uuid,pid,used_memory --format=csv,noheader,nounits */
export const nvidiaApps: Answers = {
  program: 'nvidia-smi',
  question: 'the processes with memory',
  read: (text) => few(parseGpuUses({ cards: NVIDIA_CARDS, states: NVIDIA_STATES }, text, '', new Map())),
  rows: {
    old: ['driver 418, in a container', 'GPU-a, 42, [Not Supported]\n', [use(42, 0)]],
    current: ['driver 550', 'GPU-a, 42, 512\n', [use(42, 512 * 1024)]],
    newest: ['driver 580', 'GPU-a, 42, 512\nGPU-z, 43, 1\n', [use(42, 512 * 1024)]],
    nothing: ['driver 550', '', []],
    'an error on stdout': ['driver 550', FAILED, []],
    'a banner before it': ['a wrapper of the site', `${BANNER}GPU-a, 42, 512\n`, [use(42, 512 * 1024)]],
    'too much': ['more processes than a node has', manyLines((at) => `GPU-a, ${at + 1}, 1\n`), MANY],
    'cut off': ['it was killed', 'GPU-a, 42, 512\nGPU-a', [use(42, 512 * 1024)]],
  },
};

const PMON =
  '# gpu        pid  type    sm   mem   enc   dec   command\n# Idx          #   C/G     %     %     %     %   name\n    0         42     C    55    10     -     -   python\n';
const SHARE = {
  pid: 42,
  index: 0,
  uuid: 'GPU-a',
  computePercent: 55,
  memoryPercent: 10,
  memoryKilobytes: Math.round((1024 * 1024) / 10),
};

/** nvidia-smi pmon -c 1 -s u */
export const nvidiaPmon: Answers = {
  program: 'nvidia-smi',
  question: 'the processes with their use',
  read: (text) => few(parseGpuUses({ cards: NVIDIA_CARDS, states: NVIDIA_STATES }, '', text, new Map())),
  rows: {
    old: ['driver 418', PMON, [SHARE]],
    current: [
      'driver 550, more columns',
      PMON.replace('dec   command', 'dec    jpg    ofa    command').replace(
        '     -     -   python',
        '     -     -      -      -    python',
      ),
      [SHARE],
    ],
    newest: [
      'driver 580, no process',
      PMON.replace(/ {4}0 .*\n/, '    0          -     -     -     -     -     -   -\n'),
      [],
    ],
    nothing: ['driver 550', '', []],
    'an error on stdout': [
      'driver 550, a card with slices',
      'Process monitoring is not supported when MIG mode is enabled.\n',
      [],
    ],
    'a banner before it': ['a wrapper of the site', BANNER + PMON, [SHARE]],
    'too much': [
      'more processes than a node has',
      PMON + manyLines((at) => `    0  ${at + 1000}     C    1    1     -     -   a\n`),
      MANY + 1,
    ],
    'cut off': ['it was killed', `${PMON}    0`, [SHARE]],
  },
};

const LIST = 'GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-a)\n  MIG 1g.10gb     Device  0: (UUID: MIG-b)\n';

/** nvidia-smi -L */
export const nvidiaSlices: Answers = {
  program: 'nvidia-smi',
  question: 'the slices of cards',
  read: (text) => few([...parseSlices(text)]),
  rows: {
    old: ['driver 450, names with their card', LIST.replace('MIG-b', 'MIG-GPU-a/7/0'), [['MIG-GPU-a/7/0', 'GPU-a']]],
    current: ['driver 550', LIST, [['MIG-b', 'GPU-a']]],
    newest: ['driver 580', `${LIST}GPU 1: NVIDIA H200 (UUID: GPU-c)\n`, [['MIG-b', 'GPU-a']]],
    nothing: ['driver 550', '', []],
    'an error on stdout': ['driver 550', FAILED, []],
    'a banner before it': ['a wrapper of the site', BANNER + LIST, [['MIG-b', 'GPU-a']]],
    'too much': [
      'more slices than a node has',
      `${LIST}${manyLines((at) => `  MIG 1g.10gb     Device  ${at}: (UUID: MIG-${at})\n`)}`,
      MANY + 1,
    ],
    'cut off': ['it was killed', `${LIST}  MIG 1g.10gb     Device  1: (UUID: MI`, [['MIG-b', 'GPU-a']]],
  },
};

const ROCM = {
  'Unique ID': '0x1',
  'PCI Bus': '0000:0C:00.0',
  'VRAM Total Memory (B)': '68702699520',
  'GPU use (%)': '7',
};
const rocm = (changes: object = {}, more: object = {}) =>
  `${JSON.stringify({ card0: { ...ROCM, ...changes }, ...more })}\n`;
const ROCM_CARD = ['0x1', 67_092_480, 7];

/** rocm-smi --showuniqueid … --json */
export const rocmCards: Answers = {
  program: 'rocm-smi',
  question: 'the cards',
  read: (text) => {
    const { cards, states } = parseRocmCards(text, 'n1');
    return few(cards.map(({ uuid, memoryKilobytes }, at) => [uuid, memoryKilobytes, states[at]?.computePercent]));
  },
  rows: {
    old: ['ROCm 4, capitals differ', rocm({ 'Card series': 'Arcturus' }), [ROCM_CARD]],
    current: [
      'ROCm 6.1',
      rocm({ 'Card Series': 'AMD Instinct MI250X' }, { system: { 'Driver version': '6.3.6' } }),
      [ROCM_CARD],
    ],
    newest: ['ROCm 7, what a card has not is N/A', rocm({ 'Unique ID': 'N/A' }), [['n1/0000:0C:00.0', 67_092_480, 7]]],
    nothing: ['ROCm 6.1, exit code 0', 'WARNING: No JSON data to report\n', []],
    'an error on stdout': [
      'ROCm 5, no module of the kernel',
      'ERROR:root:Driver not initialized (amdgpu not found in modules)\n',
      [],
    ],
    'a banner before it': [
      'a user who is in no group of the cards',
      `WARNING: User is missing the following required groups: render, video\n${BANNER}${rocm()}`,
      [ROCM_CARD],
    ],
    'too much': [
      'more cards than a node has',
      `${JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`card${at}`, { ...ROCM, 'Unique ID': `0x${at}` }])))}\n`,
      10_000,
    ],
    'cut off': ['it was killed', rocm().slice(0, 40), []],
  },
};

const AMD_CARDS = parseRocmCards(rocm(), 'n1').cards;
const PIDS = '{"system": {"PID42": "python3, 1, 1073741824, 0, 55"}}\n';
const AMD_USE = { pid: 42, index: 0, uuid: '0x1', memoryPercent: 0, computePercent: 55, memoryKilobytes: 2 ** 20 };

/** rocm-smi --showpids --json */
export const rocmUses: Answers = {
  program: 'rocm-smi',
  question: 'the processes',
  read: (text) => few(parseRocmUses(AMD_CARDS, text, '{"system": {"PID42": ["0"], "PID43": ["0"]}}')),
  rows: {
    old: ['ROCm 4, figures that are not known', PIDS.replace('55', 'unknown'), [{ ...AMD_USE, computePercent: 0 }]],
    current: ['ROCm 6.1', PIDS, [AMD_USE]],
    newest: ['ROCm 7, a name with commas', PIDS.replace('python3', 'a, b'), [AMD_USE]],
    nothing: ['ROCm 6.1, exit code 0', 'WARNING: No JSON data to report\n', []],
    'an error on stdout': ['ROCm 5', 'ERROR: 2 GPU[0]: Unable to get pid list\n', []],
    'a banner before it': ['a wrapper of the site', BANNER + PIDS, [AMD_USE]],
    'too much': [
      'processes of no card',
      `${JSON.stringify({ system: { PID42: 'python3, 1, 1073741824, 0, 55', ...Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`PID${at + 1000}`, 'a, 0, 0, 0, 0'])) } })}\n`,
      [AMD_USE],
    ],
    'cut off': ['it was killed', PIDS.slice(0, 30), []],
  },
};

const HABANA = {
  index: '0',
  uuid: '01P0-HL2080A0',
  bus_id: '0000:33:00.0',
  name: 'HL-225',
  driver_version: '1.19',
  'memory.total': '98304',
  'memory.used': '768',
  'utilization.aip': '5',
  'temperature.aip': '30',
  'power.draw': '90',
} as Readonly<Record<string, string>>;
const habana = (changes: Readonly<Record<string, string>> = {}) =>
  `${HABANA_QUERY.map((member) => changes[member] ?? HABANA[member]).join(', ')}\n`;
const HABANA_CARD = ['01P0-HL2080A0', 98_304 * 1024, 5];

/** hl-smi -Q … -f csv,noheader,nounits */
export const habanaCards: Answers = {
  program: 'hl-smi',
  question: 'the cards',
  read: (text) => {
    const { cards, states } = parseHabanaCards(text, 'n1');
    return few(cards.map(({ uuid, memoryKilobytes }, at) => [uuid, memoryKilobytes, states[at]?.computePercent]));
  },
  rows: {
    old: ['1.7, with units', habana({ 'memory.total': '98304 MiB', 'utilization.aip': '5 %' }), [HABANA_CARD]],
    current: ['1.19', habana(), [HABANA_CARD]],
    newest: ['1.22, without an id', habana({ uuid: 'N/A' }), [['n1/0000:33:00.0', 98_304 * 1024, 5]]],
    nothing: ['1.19', '', []],
    'an error on stdout': ['1.19', 'hl-smi: no habanalabs devices found\n', []],
    'a banner before it': ['a wrapper of the site', BANNER + habana(), [HABANA_CARD]],
    'too much': ['more cards than a node has', manyLines((at) => habana({ index: String(at) })), MANY],
    'cut off': ['it was killed', habana() + habana({ index: '1' }).slice(0, 20), [HABANA_CARD]],
  },
};

const XPU = '0,"Intel(R) Data Center GPU Max 1550","00000000-a","I915_1.24","PVC_1","0000:4d:00.0","131072.00 MiB"\n';
const XPU_CARD = ['00000000-a', 131_072 * 1024];

/** xpu-smi discovery --dump … */
export const xpuCards: Answers = {
  program: 'xpu-smi',
  question: 'the cards',
  read: (text) => few(parseXpuCards(text, 'n1').map(({ uuid, memoryKilobytes }) => [uuid, memoryKilobytes])),
  rows: {
    old: ['1.0, nothing is quoted but names', XPU.replace('"00000000-a"', '00000000-a'), [XPU_CARD]],
    current: [
      '1.2, below its title',
      `Device ID,Device Name,UUID,Driver Version,Firmware Version,PCI BDF Address,Memory Physical Size\n${XPU}`,
      [XPU_CARD],
    ],
    newest: ['1.3, a firmware that is not known', XPU.replace('PVC_1', 'unknown'), [XPU_CARD]],
    nothing: ['1.2', 'No device discovered\n', []],
    'an error on stdout': [
      '1.2, without the library of the driver',
      'Error: Fail to initialize XPUM core. The exit code is -1\n',
      [],
    ],
    'a banner before it': ['a wrapper of the site', BANNER + XPU, [XPU_CARD]],
    'too much': ['more cards than a node has', manyLines((at) => XPU.replace('00000000-a', `00000000-${at}`)), MANY],
    'cut off': ['it was killed', XPU + XPU.slice(0, 50), [XPU_CARD]],
  },
};

const XPU_CARDS = [{ index: 0, uuid: '00000000-a' }] as unknown as readonly GpuCard[];
const DUMP =
  'Timestamp, DeviceId, GPU Utilization (%), GPU Power (W), GPU Frequency (MHz), GPU Core Temperature (C), GPU Memory Utilization (%), GPU Memory Used (MiB)\n06:14:46.000,    0, 99.00, 340.00, 1600, 51.00, 12.00, 4096.00\n';

/** xpu-smi dump -d … -m … -i 1 -n 1 */
export const xpuStates: Answers = {
  program: 'xpu-smi',
  question: 'the use of cards',
  read: (text) =>
    parseXpuStates(XPU_CARDS, text).map(({ computePercent, memoryKilobytes, isFailing }) => [
      computePercent,
      memoryKilobytes,
      isFailing,
    ]),
  rows: {
    old: ['1.0, without some sensors', DUMP.replace('51.00', 'N/A'), [[99, 4096 * 1024, false]]],
    current: ['1.2', DUMP, [[99, 4096 * 1024, false]]],
    newest: ['1.3, empty sensors', DUMP.replace('51.00', ''), [[99, 4096 * 1024, false]]],
    nothing: ['1.2: a card without a line is failing', '', [[0, 0, true]]],
    'an error on stdout': ['1.2', 'Error: Level Zero Initialization Error\n', [[0, 0, true]]],
    'a banner before it': ['a wrapper of the site', BANNER + DUMP, [[99, 4096 * 1024, false]]],
    'too much': [
      'lines of other cards',
      DUMP + manyLines((at) => `06:14:46.000, ${at + 1}, 1.00, 1.00, 1, 1.00, 1.00, 1.00\n`),
      [[99, 4096 * 1024, false]],
    ],
    'cut off': ['it was killed', DUMP.slice(0, -20), [[0, 0, true]]],
  },
};

const PS =
  'PID       Command             DeviceID       SHR            MEM\n42        python3             0              0              1024\n';
const XPU_USE = { pid: 42, index: 0, uuid: '00000000-a', computePercent: 0, memoryKilobytes: 1024, memoryPercent: 0 };

/** xpu-smi ps */
export const xpuUses: Answers = {
  program: 'xpu-smi',
  question: 'the processes',
  read: (text) => few(parseXpuUses(XPU_CARDS, text)),
  rows: {
    old: ['1.0', PS, [XPU_USE]],
    current: ['1.2, a name with blanks', PS.replace('python3', 'my job'), [XPU_USE]],
    newest: [
      '1.3, a card that is not ours',
      `${PS}43        a                   7              0              1\n`,
      [XPU_USE],
    ],
    nothing: ['1.2', PS.split('\n', 1).join('\n'), []],
    'an error on stdout': ['1.2', 'Error: Level Zero Initialization Error\n', []],
    'a banner before it': ['a wrapper of the site', BANNER + PS, [XPU_USE]],
    'too much': ['more processes than a node has', manyLines((at) => `${at + 1}  a  0  0  1\n`), MANY],
    'cut off': ['it was killed', `${PS}43        a                   0     `, [XPU_USE]],
  },
};
