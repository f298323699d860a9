import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { createUserNames } from './user-names.ts';
import { bootEpoch, epochOf } from './boot-epoch.ts';
import { modelOf, readHardware, shapeOfCpuinfo } from './hardware.ts';
import { atLeast, readNodeFigures } from './node-figures.ts';

function folderOf(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const STAT = `cpu  0 0 0 0 0 0 0 0 0 0
cpu0 100 200 300 9999 9999 50 50 7777 0 0
cpu3 100 0 0 0 0 0 0 0 0 0
intr 1 2
btime 1700000000
`;

it('the figures of a node are those of /proc', () => {
  const root = folderOf({
    stat: STAT,
    uptime: '12.50 20.00\n',
    meminfo: 'MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    400 kB\n',
    loadavg: '0.20 0.18 0.12 3/80 11206\n',
    diskstats: '   7       0 loop0 1 2 3\n 259       1 nvme0n1 1 2 3 4 5 6 7 8 9 10 11\n   1 0 ram0 0 0\n',
  });
  expect(readNodeFigures(root)).toEqual({
    bootedAt: 1_700_000_000,
    uptimeSeconds: 12.5,
    // Offline processors count as 0, so that the others keep their numbers.
    cpuSeconds: [7, 0, 0, 1],
    memoryBytes: 1000 * 1024,
    usedMemoryBytes: 600 * 1024,
    load: { load1: 0.2, load5: 0.18, load15: 0.12, runnable: 3, existing: 80 },
    disks: [{ name: 'nvme0n1', major: 259, minor: 1, stats: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }],
    problems: [],
  });
});

it('an uptime that is behind the monotonic clock is that of a container, and does not count', () => {
  expect([atLeast(5, 9000), atLeast(undefined, 9000), atLeast(9500, 9000), atLeast(5, undefined)]).toEqual([
    9000, 9000, 9500, 5,
  ]);
});

it('a part of /proc that is missing or not as expected is named, and the other parts are reported', () => {
  const root = folderOf({ stat: STAT, uptime: 'x', meminfo: 'MemTotal: lots\n', loadavg: '0.2 0.1 0.1 1/2 3\n' });
  const { problems, usedMemoryBytes, load, disks } = readNodeFigures(root);
  expect([usedMemoryBytes, disks, load?.load1]).toEqual([undefined, undefined, 0.2]);
  expect(problems).toEqual([
    `${root}/meminfo is not as expected`,
    `${root}/uptime is not as expected`,
    expect.stringContaining(`${root}/diskstats cannot be read: ENOENT`),
  ]);
});

it('the epoch of a boot stays when the clock is set, and grows with each boot', () => {
  const first = epochOf('a', 1_700_000_000, {});
  expect(first.epoch).toBe(1_700_000_000 - 1_577_836_800);
  expect(epochOf('a', 1_700_000_037, first.remembered).epoch).toBe(first.epoch);
  const earlierClock = epochOf('b', 1_600_000_000, first.remembered);
  expect(earlierClock.epoch).toBe(first.epoch + 1);
  expect(epochOf('c', 1_800_000_000, earlierClock.remembered).epoch).toBe(1_800_000_000 - 1_577_836_800);
});

it('the epoch of a boot with a clock before 2020 is not negative and not zero', () => {
  expect(epochOf('a', 12, {}).epoch).toBe(1);
});

it('the epoch of a boot is remembered in a file, and a damaged file is replaced', () => {
  const folder = temporaryFolder();
  expect(bootEpoch('a', 1_700_000_000, folder)).toBe(122_163_200);
  expect(bootEpoch('a', 1_700_000_005, folder)).toBe(122_163_200);
  writeFileSync(join(folder, 'boot-epoch.json'), '{"a": "many"');
  expect(bootEpoch('a', 1_700_000_005, folder)).toBe(122_163_205);
  expect(bootEpoch('a', 1_700_000_009, folder)).toBe(122_163_205);
});

const place = (socket: number, core: number) => ({ physical_package_id: `${socket}\n`, core_id: `${core}\n` });

it('sockets, cores and threads are those of /sys, with processors that are offline left out', () => {
  const cpus = [place(0, 0), place(0, 0), place(0, 1), place(0, 1), place(1, 0), place(1, 0), place(1, 1), place(1, 1)];
  const root = folderOf({
    'proc/cpuinfo': 'model name\t: Some CPU\n',
    'proc/meminfo': 'MemTotal:  4096 kB\n',
    'sys/devices/system/cpu/cpu99/online': '0\n',
    'sys/devices/system/cpu/cpufreq/x': '',
    'sys/devices/system/node/node0/distance': '10 21\n',
    'sys/devices/system/node/node1/distance': '21 10\n',
    ...Object.fromEntries(
      cpus.flatMap((each, index) =>
        Object.entries(each).map(([name, text]) => [`sys/devices/system/cpu/cpu${index}/topology/${name}`, text]),
      ),
    ),
  });
  expect(readHardware(root)).toEqual({
    sockets: 2,
    coresPerSocket: 2,
    threadsPerCore: 2,
    cpuModel: 'Some CPU',
    memoryKilobytes: 4096,
    distances: [
      [10, 21],
      [21, 10],
    ],
  });
});

it('distances that make no square are left out', () => {
  const root = folderOf({ 'sys/devices/system/node/node0/distance': '10 21\n' });
  expect(readHardware(root).distances).toEqual([]);
});

const processor = (index: number, socket: number) =>
  `processor\t: ${index}\nmodel name\t: Big CPU @ 2.00GHz\nphysical id\t: ${socket}\nsiblings\t: 4\ncpu cores\t: 2\n\n`;

it('without /sys, sockets, cores and threads are those of /proc/cpuinfo', () => {
  const text = [0, 1, 2, 3].map((index) => processor(index, 0) + processor(index + 4, 1)).join('');
  expect(shapeOfCpuinfo(text)).toEqual({ sockets: 2, coresPerSocket: 2, threadsPerCore: 2 });
  expect(modelOf(text)).toBe('Big CPU @ 2.00GHz');
});

it('an ARM machine has as many cores as processors, and its model is its architecture', () => {
  const one = (index: number) => `processor\t: ${index}\nCPU architecture: 8\nCPU variant\t: 0x3\n\n`;
  expect(shapeOfCpuinfo(one(0) + one(1))).toEqual({ sockets: 1, coresPerSocket: 2, threadsPerCore: 1 });
  expect(modelOf(one(0))).toBe('ARMv8.3');
});

/** The topology of CPUs in /sys: of each the package, the core and, where the kernel has it, the list of the CPUs of its core. */
const topology = (cpus: readonly (readonly [socket: number, core: number, list?: string])[], list = 'core_cpus_list') =>
  folderOf(
    Object.fromEntries(
      cpus.flatMap(([socket, core, siblings], index) => {
        const folder = `sys/devices/system/cpu/cpu${index}/topology`;
        return [
          [`${folder}/physical_package_id`, `${socket}\n`],
          [`${folder}/core_id`, `${core}\n`],
          ...(siblings === undefined ? [] : [[`${folder}/${list}`, `${siblings}\n`]]),
        ];
      }),
    ),
  );
const many = <T>(count: number, one: (index: number) => T) => Array.from({ length: count }, (_, index) => one(index));

it.each([
  ['64 cores of a SG2042, numbered in each cluster', many(64, (at) => [0, at % 16, `${at}`] as const), [1, 64, 1]],
  [
    'two sockets of two cores with two threads',
    many(8, (at) => [at >> 2, (at >> 1) & 1, `${at & ~1}-${at | 1}`] as const),
    [2, 2, 2],
  ],
  ['the same on a kernel without lists', many(8, (at) => [at >> 2, (at >> 1) & 1] as const), [2, 2, 2]],
  [
    'big.LITTLE with a package for each cluster',
    many(8, (at) => [at < 4 ? 0 : at < 7 ? 1 : 2, at % 4, `${at}`] as const),
    [1, 8, 1],
  ],
  ['an ARM machine without packages', many(4, (at) => [-1, at, `${at}`] as const), [1, 4, 1]],
  ['four threads of POWER', many(8, (at) => [0, at & ~3, `${at & ~3}-${at | 3}`] as const), [1, 2, 4]],
  [
    'two cores with two threads and four without',
    [
      ...many(4, (at) => [0, at >> 1, `${at & ~1}-${at | 1}`] as const),
      ...many(4, (at) => [0, at + 4, `${at + 4}`] as const),
    ],
    [1, 6, 2],
  ],
] as const)(
  'the cores of a machine are those that share CPUs: %s',
  (_, cpus, [sockets, coresPerSocket, threadsPerCore]) => {
    const shape = { sockets, coresPerSocket, threadsPerCore };
    expect(readHardware(topology(cpus))).toMatchObject(shape);
    expect(readHardware(topology(cpus, 'thread_siblings_list'))).toMatchObject(shape);
  },
);

it.each([
  [
    'POWER',
    'processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t\t: 3800.000000MHz\n',
    'POWER9, altivec supported',
  ],
  [
    'LoongArch',
    'processor\t\t: 0\nCPU Family\t\t: Loongson-64bit\nModel Name\t\t: Loongson-3A5000\n',
    'Loongson-3A5000',
  ],
  [
    'RISC-V with the name of its cores',
    'processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdc\nuarch\t\t: sifive,u74-mc\n',
    'sifive,u74-mc',
  ],
  ['RISC-V without one', 'processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdc\nmmu\t\t: sv39\n', 'rv64imafdc'],
  ['MIPS', 'system type\t: x\ncpu model\t\t: ICT Loongson-3 V0.5\n', 'ICT Loongson-3 V0.5'],
  ['nothing', '', ''],
])('the model of a CPU of %s', (_, text, model) => expect(modelOf(text)).toBe(model));

it('names of users come from passwd, and from getent for users of a directory service', async () => {
  const folder = folderOf({
    passwd: 'root:x:0:0::/:\nadmin:x:0:0::/:\n',
    getent: `#!/bin/sh\necho "$@" >> "$(dirname "$0")/asked"\necho "ann:x:5001:1::/:"\nexit 2\n`,
  });
  const { chmodSync, readFileSync } = await import('node:fs');
  chmodSync(join(folder, 'getent'), 0o755);
  let nowMs = 0;
  const users = createUserNames({
    passwd: join(folder, 'passwd'),
    program: join(folder, 'getent'),
    now: () => nowMs,
  });
  await users.learn([0, 5001, 5002]);
  await users.learn([0, 5001, 5002]);
  expect([0, 5001, 5002].map((id) => users.nameOf(id))).toEqual(['root', 'ann', undefined]);
  const asked = () => readFileSync(join(folder, 'asked'), 'utf8');
  expect(asked()).toBe('passwd 5001 5002\n');
  nowMs = 3_600_000;
  await users.learn([5002]);
  expect(asked()).toBe('passwd 5001 5002\npasswd 5002\n');
});

it('users have no names where getent is missing', async () => {
  const users = createUserNames({
    passwd: join(temporaryFolder(), 'passwd'),
    program: join(temporaryFolder(), 'getent'),
  });
  await users.learn([54_321]);
  expect(users.nameOf(54_321)).toBeUndefined();
});
