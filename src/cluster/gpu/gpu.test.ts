import { chmodSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { createAmdReader } from './amd.ts';
import { createNvidiaReader } from './nvidia.ts';
import { QUERY, type QueryMember } from './nvidia-text.ts';
import { createGpuReader } from './read.ts';
import { createXpuReader } from './xpu.ts';

/** Few test machines have a card, so programs of the same names stand on PATH and print what the real ones document. */
function fakes(programs: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const folder = temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/bash\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return { PATH: `${folder}:/usr/bin:/bin`, FOLDER: folder };
}

const CARD: Record<QueryMember, string> = {
  index: '0',
  uuid: 'GPU-aaaa',
  'pci.bus_id': '00000000:3B:00.0',
  name: 'NVIDIA A100-SXM4-80GB',
  driver_version: '550.54',
  vbios_version: '92.00',
  compute_cap: '8.0',
  'mig.mode.current': 'Disabled',
  'memory.total': '81920',
  'memory.used': '1024',
  'power.limit': '400.00',
  'power.max_limit': '400.00',
  'power.min_limit': '100.00',
  'power.draw': '61.37',
  'clocks.max.sm': '1410',
  'clocks.max.memory': '1593',
  'clocks.sm': '210',
  'clocks.mem': '1593',
  'fan.speed': '[N/A]',
  'temperature.gpu': '31',
  compute_mode: 'Exclusive_Process',
  pstate: 'P0',
  'utilization.gpu': '77',
  'utilization.memory': '12',
};
const card = (changed: Partial<Record<QueryMember, string>> = {}) =>
  QUERY.map((member) => ({ ...CARD, ...changed })[member]).join(', ');

/** An nvidia-smi that prints these texts for its three questions. */
const smi = ({ gpus = [card()] as string[], apps = '', pmon = '', slices = '', end = '' }) => `case "$1" in
  --query-gpu*) printf '%s\\n' ${gpus.map((line) => `'${line}'`).join(' ')}; ${end} ;;
  --query-compute-apps*) printf '%s' '${apps}' ;;
  pmon) printf '%s' '${pmon}' ;;
  -L) printf '%s' '${slices}' ;;
esac`;

const PMON = `# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command
# Idx           #    C/G      %      %      %      %      %      %    name
    0       4711     C       70     10      -      -      -      -    python3
    0       4712     C        -      -      -      -      -      -    other
    0       4713     C        5     50      -      -      -      -    third
    1          -     -        -      -      -      -      -      -    -
`;

it('cards, their state and their processes are those that nvidia-smi prints', async () => {
  const apps = 'GPU-aaaa, 4711, 512\nGPU-aaaa, 4712, [N/A]\n';
  const { cards, states, uses, problems } = await createNvidiaReader(
    fakes({ 'nvidia-smi': smi({ apps, pmon: PMON }) }),
  ).read();
  expect(problems).toEqual([]);
  expect(cards).toEqual([
    {
      index: 0,
      uuid: 'GPU-aaaa',
      address: '00000000:3B:00.0',
      manufacturer: 'NVIDIA',
      model: 'NVIDIA A100-SXM4-80GB',
      architecture: 'Ampere',
      driver: '550.54',
      firmware: '92.00',
      memoryKilobytes: 80 * 2 ** 20,
      powerLimitWatts: 400,
      maxPowerLimitWatts: 400,
      minPowerLimitWatts: 100,
      maxComputeClockMhz: 1410,
      maxMemoryClockMhz: 1593,
    },
  ]);
  expect(states).toEqual([
    {
      index: 0,
      uuid: 'GPU-aaaa',
      isFailing: false,
      fanPercent: 0,
      computeMode: 'Exclusive_Process',
      performanceState: 0,
      memoryKilobytes: 2 ** 20,
      computePercent: 77,
      memoryPercent: 12,
      temperatureCelsius: 31,
      powerWatts: 61,
      powerLimitWatts: 400,
      computeClockMhz: 210,
      memoryClockMhz: 1593,
    },
  ]);
  const gpu = { index: 0, uuid: 'GPU-aaaa' };
  expect(uses).toEqual([
    { pid: 4711, ...gpu, computePercent: 70, memoryKilobytes: 512 * 1024, memoryPercent: 10 },
    { pid: 4712, ...gpu, computePercent: 0, memoryKilobytes: 0, memoryPercent: 0 },
    // Only pmon knows it: it has its share of the used memory.
    { pid: 4713, ...gpu, computePercent: 5, memoryKilobytes: 512 * 1024, memoryPercent: 50 },
  ]);
});

it('what a real H200 prints is read, in use and idle', async () => {
  const uuid = 'GPU-4dcaef53-c2ee-2d47-3ff0-bab0845de637';
  const begin = `0, ${uuid}, 00000000:00:06.0, NVIDIA H200, 580.159.04, 96.00.A5.00.1A, 9.0, Disabled, 143771`;
  const end = '[N/A], 39, Default, P0, 0, 0';
  const idle = `${begin}, 0, 700.00, 700.00, 200.00, 83.25, 1980, 3201, 345, 3201, ${end}`;
  const noProcess = `# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command 
# Idx           #    C/G      %      %      %      %      %      %    name 
    0          -     -      -      -      -      -      -      -    -              
`;
  const found = await createNvidiaReader(fakes({ 'nvidia-smi': smi({ gpus: [idle], pmon: noProcess }) })).read();
  expect(found.cards).toMatchObject([{ uuid, model: 'NVIDIA H200', architecture: 'Hopper', driver: '580.159.04' }]);
  expect(found.states).toMatchObject([{ powerWatts: 83, memoryKilobytes: 0, fanPercent: 0, temperatureCelsius: 39 }]);
  expect(found).toMatchObject({ uses: [], problems: [] });

  const inUse = noProcess.replace(
    /0 {10}-.*/,
    '0        584     C     98     22      -      -      -      -    python3',
  );
  const apps = `${uuid}, 584, 9284\n`;
  const used = await createNvidiaReader(fakes({ 'nvidia-smi': smi({ gpus: [idle], apps, pmon: inUse }) })).read();
  expect(used.uses).toEqual([
    { pid: 584, index: 0, uuid, computePercent: 98, memoryKilobytes: 9284 * 1024, memoryPercent: 22 },
  ]);
});

it('a card that prints ERR! is failing, a fan may exceed 100 % and a temperature may be negative', async () => {
  const gpus = [
    card({ 'power.draw': 'ERR!', 'utilization.gpu': '[Unknown Error]' }),
    card({ index: '1', uuid: 'GPU-bbbb', 'fan.speed': '110', 'temperature.gpu': '-4', pstate: '[N/A]' }),
  ];
  const { states } = await createNvidiaReader(fakes({ 'nvidia-smi': smi({ gpus }) })).read();
  expect(states).toMatchObject([
    { isFailing: true, powerWatts: 0, computePercent: 0 },
    { isFailing: false, fanPercent: 110, temperatureCelsius: -4, performanceState: undefined },
  ]);
});

it('one sensor that cannot be read is no failing card, and a card whose memory cannot be read is one', async () => {
  const gpus = [
    card({ 'fan.speed': '[Unknown Error]' }),
    card({ index: '1', uuid: 'GPU-bbbb', 'memory.used': '[Unknown Error]' }),
    card({ index: '2', uuid: 'GPU-cccc', 'fan.speed': '[GPU requires reset]' }),
  ];
  const { states } = await createNvidiaReader(fakes({ 'nvidia-smi': smi({ gpus }) })).read();
  expect(states.map(({ isFailing }) => isFailing)).toEqual([false, true, true]);
});

it.each([
  [14, 'WARNING: infoROM is corrupted at gpu 0000:86:00.0'],
  [15, 'Unable to determine the device handle for GPU0000:86:00.0: GPU is lost. Reboot the system to recover this GPU'],
])(
  'exit code %d of nvidia-smi is reported with its words, which stand among the rows of the cards',
  async (code, words) => {
    const tool = smi({ gpus: [card()], end: `echo "${words}"; exit ${code}` });
    const { cards, problems } = await createNvidiaReader(fakes({ 'nvidia-smi': tool })).read();
    expect([cards.length, problems]).toEqual([1, [`nvidia-smi ended with exit code ${code}: ${words}`]]);
  },
);

it('a card that is lost while others work is reported as failing, with what the tool said', async () => {
  const gpus = [card(), card({ index: '1', uuid: 'GPU-bbbb' })];
  const environment = fakes({ 'nvidia-smi': smi({ gpus }) });
  const reader = createNvidiaReader(environment);
  expect((await reader.read()).states.map(({ isFailing }) => isFailing)).toEqual([false, false]);
  const words = 'Unable to determine the device handle for GPU 0000:86:00.0: GPU is lost.';
  const lost = smi({ gpus: [card()], end: `echo "${words}" >&2; exit 15` });
  writeFileSync(join(environment['FOLDER'] as string, 'nvidia-smi'), `#!/bin/bash\n${lost}\n`);
  const { cards, states, problems } = await reader.read();
  expect(states.map(({ uuid, isFailing }) => [uuid, isFailing])).toEqual([
    ['GPU-aaaa', false],
    ['GPU-bbbb', true],
  ]);
  expect(cards).toHaveLength(2);
  expect(problems).toEqual([`nvidia-smi ended with exit code 15: ${words}`]);
});

it('a tool that hangs is killed at its time limit and is a problem of the reading', async () => {
  const reader = createNvidiaReader(fakes({ 'nvidia-smi': 'exec sleep 600' }), 300);
  expect(await reader.read()).toMatchObject({
    cards: [],
    problems: [
      'nvidia-smi did not end within its time limit',
      'nvidia-smi --query-compute-apps did not end within its time limit',
    ],
  });
});

it('processes in slices of a card belong to the card, and are added up; its mode says that no use is reported', async () => {
  const { uses, states } = await createNvidiaReader(
    fakes({
      'nvidia-smi': smi({
        gpus: [card({ 'mig.mode.current': 'Enabled', 'utilization.gpu': '[N/A]', compute_mode: 'Default' })],
        apps: 'MIG-1, 4711, 100\nMIG-2, 4711, 50\nGPU-zzzz, 9, 5\n',
        slices: `GPU 0: NVIDIA A100 (UUID: GPU-aaaa)\n  MIG 1g.5gb Device  0: (UUID: MIG-1)\n  MIG 2g.10gb Device  1: (UUID: MIG-2)\n`,
      }),
    }),
  ).read();
  expect(uses).toMatchObject([{ pid: 4711, uuid: 'GPU-aaaa', memoryKilobytes: 150 * 1024 }]);
  expect(uses).toHaveLength(1);
  expect(states).toMatchObject([{ computeMode: 'MIG', computePercent: 0 }]);
});

it('members that an older nvidia-smi does not know are left out', async () => {
  const script = `case "$1" in --query-gpu=*compute_cap*) echo 'Field "compute_cap" is not a valid field to query.'; exit 2 ;;
    --query-gpu=*mig.mode*) echo 'Field "mig.mode.current" is not a valid field to query.'; exit 2 ;;
    --query-gpu*) echo '${QUERY.filter((member) => !/cap|mig/.test(member))
      .map((member) => CARD[member])
      .join(', ')}' ;; esac`;
  const { cards, problems } = await createNvidiaReader(fakes({ 'nvidia-smi': script })).read();
  expect([cards[0]?.uuid, cards[0]?.architecture, problems]).toEqual(['GPU-aaaa', '', []]);
});

it('a card without a uuid gets one of node and address, which no other card has', async () => {
  const gpus = [card({ uuid: '[N/A]' })];
  const { cards } = await createNvidiaReader(fakes({ 'nvidia-smi': smi({ gpus }) })).read();
  expect(cards[0]?.uuid).toBe(`${hostname()}/00000000:3B:00.0`);
});

it('a node without tools has no cards and no problems, and neither has one with a tool and no card', async () => {
  const nothing = { cards: [], states: [], uses: [], problems: [] };
  expect(await createGpuReader(fakes({}))()).toEqual(nothing);
  const without = `echo "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."; exit 9`;
  expect(await createGpuReader(fakes({ 'nvidia-smi': without }))()).toEqual(nothing);
});

const ROCM = JSON.stringify({
  card0: {
    'Unique ID': '0x1122',
    'PCI Bus': '0000:C1:00.0',
    'Card Series': 'AMD Instinct MI250X',
    'GFX Version': 'gfx90a',
    'VBIOS version': '113-D65201',
    'VRAM Total Memory (B)': '68702699520',
    'VRAM Total Used Memory (B)': '10240',
    'GPU use (%)': '7',
    'GPU Memory Allocated (VRAM%)': '3',
    'Temperature (Sensor edge) (C)': '41.0',
    'Average Graphics Package Power (W)': '90.4',
    'Max Graphics Package Power (W)': '560.0',
    'sclk clock speed:': '(800Mhz)',
    'mclk clock speed:': '(1600Mhz)',
    'Fan speed (%)': 'N/A',
  },
  card1: { 'Unique ID': 'N/A', 'PCI Bus': '0000:C2:00.0' },
  system: { 'Driver version': '6.3.6' },
});
const rocm = `case "$*" in
  *showpidgpus*) echo '{"system": {"PID42": ["0", "1"]}}' ;;
  *showpids*) echo 'WARNING: slow'; echo '{"system": {"PID42": "a,b, 2, 2097152, 0, 50", "PID43": "idle, 0, 0, 0, 0"}}' ;;
  *) echo '${ROCM}' ;; esac`;

it('AMD cards are those that rocm-smi prints, and what a process uses of several is divided', async () => {
  const { cards, states, uses, problems } = await createAmdReader(fakes({ 'rocm-smi': rocm })).read();
  expect(problems).toEqual([]);
  expect(cards[0]).toMatchObject({
    index: 0,
    uuid: '0x1122',
    manufacturer: 'AMD',
    model: 'AMD Instinct MI250X',
    architecture: 'gfx90a',
    driver: '6.3.6',
    firmware: '113-D65201',
    memoryKilobytes: 67092480,
    maxPowerLimitWatts: 560,
  });
  expect(cards[1]?.uuid).toBe(`${hostname()}/0000:C2:00.0`);
  expect(states[0]).toMatchObject({
    memoryKilobytes: 10,
    computePercent: 7,
    memoryPercent: 3,
    temperatureCelsius: 41,
    powerWatts: 90,
    computeClockMhz: 800,
    memoryClockMhz: 1600,
    fanPercent: 0,
  });
  expect(
    uses.map(({ pid, index, computePercent, memoryKilobytes }) => [pid, index, computePercent, memoryKilobytes]),
  ).toEqual([
    [42, 0, 25, 1024],
    [42, 1, 25, 1024],
  ]);
});

it('partitions of an AMD card that have its id in common are cards of their own, and cards with ids keep these', async () => {
  const part = { 'Unique ID': '0x99', 'PCI Bus': '0000:0C:00.0' };
  const all = {
    card0: { ...part },
    card1: { ...part },
    card2: { 'Unique ID': '0x99', 'PCI Bus': '0000:22:00.0' },
    card3: { 'Unique ID': '0x55', 'PCI Bus': '0000:33:00.0' },
  };
  const { cards } = await createAmdReader(fakes({ 'rocm-smi': `echo '${JSON.stringify(all)}'` })).read();
  expect(cards.map(({ uuid }) => uuid)).toEqual([
    `${hostname()}/0000:0C:00.0#0`,
    `${hostname()}/0000:0C:00.0#1`,
    `${hostname()}/0000:22:00.0`,
    '0x55',
  ]);
});

it.each([
  ['behind it', (json: string) => `echo '${json}'; echo 'WARNING: low power state'`],
  ['with braces before it', (json: string) => `echo 'WARNING: {gpu} sleeps'; echo '${json}'`],
  ['around it', (json: string) => `echo '=== ROCm ==='; echo '${json}'; echo '=== End {of} log ==='`],
])('text beside the JSON of rocm-smi is passed over: %s', async (_, script) => {
  const { cards, problems } = await createAmdReader(fakes({ 'rocm-smi': script(ROCM) })).read();
  expect([cards.length, problems]).toEqual([2, []]);
});

it('rocm-smi that prints no JSON is a problem of the reading, and one that prints nothing has no cards', async () => {
  const read = async (script: string) => await createAmdReader(fakes({ 'rocm-smi': script })).read();
  expect(await read("echo 'cat: /sys/module: no such file'")).toMatchObject({
    cards: [],
    problems: ['rocm-smi printed no JSON: cat: /sys/module: no such file'],
  });
  expect(await read('true')).toMatchObject({ cards: [], problems: [] });
});

/** As their documentation shows them. */
const xpu = `case "$1" in
  discovery) echo 'Device ID,Device Name,UUID,Driver Version,GFX Firmware Version,PCI BDF Address,Memory Physical Size'
    echo '0,"Intel(R) Graphics [0x56c0]","00000000-0000-0000-0000-56c000008086","16929133","DG02_1.3267","0000:4d:00.0","14248.00 MiB"'
    echo '1,"Intel(R) Graphics [0x020a]","00000000-0000-0000-0000-020a00008086","16929133","unknown","0000:9a:00.0","32768.00 MiB"' ;;
  dump) [ "$3" = 0,1 ] || exit 9; echo 'Timestamp, DeviceId, GPU Utilization (%), GPU Power (W), …'
    echo '06:14:46.000,    0, 77.50, 14.61, 1400, 41.00, 12.00, 1024.00' ;;
  ps) echo 'PID       Command             DeviceID       SHR            MEM'
    echo '4711      python3 train       0              0              2048' ;;
esac`;

it('Intel cards are those that xpu-smi lists, and a card without further figures is failing', async () => {
  const { cards, states, uses, problems } = await createXpuReader(fakes({ 'xpu-smi': xpu })).read();
  expect(problems).toEqual([]);
  expect(cards[0]).toMatchObject({
    index: 0,
    uuid: '00000000-0000-0000-0000-56c000008086',
    address: '0000:4d:00.0',
    manufacturer: 'Intel',
    model: 'Intel(R) Graphics [0x56c0]',
    architecture: 'Xpu',
    driver: '16929133',
    firmware: 'DG02_1.3267',
    memoryKilobytes: 14_248 * 1024,
  });
  expect(cards[1]).toMatchObject({ index: 1, firmware: '' });
  expect(states).toMatchObject([
    {
      isFailing: false,
      computePercent: 78,
      powerWatts: 15,
      computeClockMhz: 1400,
      temperatureCelsius: 41,
      memoryPercent: 12,
      memoryKilobytes: 2 ** 20,
    },
    { index: 1, isFailing: true },
  ]);
  expect(uses).toMatchObject([{ pid: 4711, index: 0, uuid: cards[0]?.uuid, memoryKilobytes: 2048 }]);
});

it('Intel cards that have one uuid in common are distinguished by their addresses', async () => {
  const alike = xpu.replaceAll(/020a0|56c00/g, '00000');
  const { cards } = await createXpuReader(fakes({ 'xpu-smi': alike })).read();
  expect(cards.map(({ uuid }) => uuid)).toEqual(
    ['0000:4d:00.0', '0000:9a:00.0'].map((each) => `${hostname()}/${each}`),
  );
});

it('Habana cards are those that hl-smi prints, beside the cards of others', async () => {
  const line = '0, 01P0-HL2080A0, 0000:19:00.0, HL-225, 1.17.0, 98304 MiB, 768, 35, 31, 101';
  const tools = fakes({ 'hl-smi': `[ "$1 $3" = "-Q -f" ] && echo '${line}'`, 'xpu-smi': xpu });
  const { cards, states, uses, problems } = await createGpuReader(tools)();
  expect([problems, uses.length, cards.map(({ architecture }) => architecture)]).toEqual([
    [],
    1,
    ['Xpu', 'Xpu', 'Habana'],
  ]);
  expect(cards[2]).toMatchObject({
    index: 0,
    uuid: '01P0-HL2080A0',
    manufacturer: 'Intel',
    model: 'HL-225',
    driver: '1.17.0',
    memoryKilobytes: 96 * 2 ** 20,
  });
  expect(states[2]).toMatchObject({
    memoryKilobytes: 768 * 1024,
    computePercent: 35,
    temperatureCelsius: 31,
    powerWatts: 101,
  });
  const broken = await createGpuReader(fakes({ 'hl-smi': 'echo "no driver" >&2; exit 3' }))();
  expect(broken).toMatchObject({ cards: [], problems: ['hl-smi ended with exit code 3: no driver'] });
});

it('rocm-smi that prints no JSON yields no cards, and the error that it failed', async () => {
  const broken = await createAmdReader(fakes({ 'rocm-smi': 'echo "Traceback: no driver" >&2; exit 1' })).read();
  expect(broken).toMatchObject({ cards: [], problems: ['rocm-smi ended with exit code 1: Traceback: no driver'] });
});
