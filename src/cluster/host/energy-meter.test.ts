import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { createEnergyMeter } from './energy-meter.ts';

const RANGE = 262_143_328_850;

/** A `/sys/class/powercap` and a `/proc`, and a way to change them. */
function machine(zones: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const [powercap, proc] = [join(folder, 'powercap'), join(folder, 'proc')];
  mkdirSync(proc, { recursive: true });
  for (const [zone, name] of Object.entries(zones)) {
    mkdirSync(join(powercap, zone), { recursive: true });
    writeFileSync(join(powercap, zone, 'name'), `${name}\n`);
    writeFileSync(join(powercap, zone, 'max_energy_range_uj'), `${RANGE}\n`);
    writeFileSync(join(powercap, zone, 'energy_uj'), '1000000\n');
  }
  const ticks = (user: number) =>
    writeFileSync(join(proc, 'stat'), `cpu  ${user} 0 0 1000 0 0 0 0 0 0\ncpu0 0 0 0 0\n`);
  ticks(0);
  const joules = (zone: string, value: number) =>
    writeFileSync(join(powercap, zone, 'energy_uj'), `${Math.round(1e6 + value * 1e6)}\n`);
  return { roots: { powercap, proc }, ticks, joules, powercap };
}

it('packages and memory are added up, what a package holds is not counted again, and CPU time is that of the machine', () => {
  const { roots, ticks, joules } = machine({
    'intel-rapl:0': 'package-0',
    'intel-rapl:0:0': 'core',
    'intel-rapl:0:1': 'dram',
    'intel-rapl:1': 'package-1',
    'intel-rapl:2': 'psys',
    'intel-rapl-mmio:0': 'package-0',
  });
  const meter = createEnergyMeter(roots);
  joules('intel-rapl:0', 10);
  joules('intel-rapl:0:0', 7);
  joules('intel-rapl:0:1', 2);
  joules('intel-rapl:1', 5);
  joules('intel-rapl:2', 30);
  joules('intel-rapl-mmio:0', 10);
  ticks(250);
  expect(meter?.look()).toEqual({ joules: 17, cpuSeconds: 2.5 });
  joules('intel-rapl:1', 6);
  expect(meter?.look()).toEqual({ joules: 18, cpuSeconds: 2.5 });
});

it('a counter that overflows goes on', () => {
  const { roots, powercap } = machine({ 'intel-rapl:0': 'package-0' });
  const path = join(powercap, 'intel-rapl:0', 'energy_uj');
  writeFileSync(path, String(RANGE - 1e6));
  const meter = createEnergyMeter(roots);
  writeFileSync(path, '2000000');
  expect(meter?.look().joules).toBeCloseTo(3, 6);
});

it('a machine without counters, or whose counters cannot be read, has no meter', () => {
  expect(createEnergyMeter({ powercap: join(temporaryFolder(), 'none'), proc: '/proc' })).toBeUndefined();
  const { roots, powercap } = machine({ 'intel-rapl:0': 'package-0' });
  writeFileSync(join(powercap, 'intel-rapl:0', 'energy_uj'), '');
  writeFileSync(join(powercap, 'intel-rapl:0', 'max_energy_range_uj'), 'x');
  expect(createEnergyMeter(roots)).toBeUndefined();
});
