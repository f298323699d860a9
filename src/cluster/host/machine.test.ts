import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { thisMachine } from './machine.ts';

const ID = '3d1219c7c4c5404aaa1f6d2a48adfda4';

/** A folder with the layout of `/` and these files. */
function rootWith(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder();
  const all = { 'proc/sys/kernel/random/boot_id': 'boot\n', 'proc/stat': 'cpu 1 2\nbtime 1700000000\n', ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  mkdirSync(join(root, 'proc/self/ns'), { recursive: true });
  symlinkSync('pid:[7]', join(root, 'proc/self/ns/pid'));
  return root;
}

const idOf = (files: Record<string, string>) => thisMachine(rootWith(files)).machine_id;

describe('a machine', () => {
  it('a machine is identified by a hash of /etc/machine-id, always the same and never the id itself', () => {
    const id = idOf({ 'etc/machine-id': `${ID}\n` });
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(id).not.toBe(ID);
    expect(idOf({ 'etc/machine-id': ID })).toBe(id);
    expect(idOf({ 'var/lib/dbus/machine-id': ID })).toBe(id);
    expect(idOf({ 'etc/machine-id': ID.replace('3', '4') })).not.toBe(id);
  });

  it.each(['', 'uninitialized\n', ID.slice(1), `${ID}0`])('a machine whose /etc/machine-id is %j has no id', (text) => {
    expect(idOf({ 'etc/machine-id': text })).toBeUndefined();
  });

  it('a machine has the addresses of its hardware network devices, and of no others', () => {
    const eth = { 'sys/class/net/eth0/address': '52:54:00:12:34:56\n', 'sys/class/net/eth0/device/vendor': '' };
    const one = thisMachine(rootWith(eth)).hardware_ids;
    expect(one).toHaveLength(1);
    const others = {
      ...eth,
      'sys/class/net/lo/address': '00:00:00:00:00:00',
      'sys/class/net/docker0/address': '02:42:9a:00:00:01',
      'sys/class/net/usb0/address': '00:00:00:00:00:00',
      'sys/class/net/usb0/device/vendor': '',
    };
    expect(thisMachine(rootWith(others)).hardware_ids).toEqual(one);
    expect(thisMachine(rootWith({})).hardware_ids).toEqual([]);
  });

  it('a machine knows its boot id, and the boot time if the kernel provides it', () => {
    expect(thisMachine(rootWith({}))).toMatchObject({ boot_id: 'boot', pid_namespace: 'pid:[7]', bootedAtMs: 17e11 });
    expect(thisMachine(rootWith({ 'proc/stat': 'cpu 1' })).bootedAtMs).toBeUndefined();
  });
});
