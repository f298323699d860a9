// `node dead-disk.mjs FOLDER`: a file system (FUSE) that answers for its root alone. It prints a line when it is mounted. Stopped by SIGSTOP it takes
// no request any more: a process that waits for it can only be killed, as one that waits for a dead server of NFS.
import { spawnSync } from 'node:child_process';
import { openSync, readSync, writeSync } from 'node:fs';

const GETATTR = 3;
const INIT = 26;
const device = openSync('/dev/fuse', 'r+');
const options = 'fd=3,rootmode=40000,user_id=0,group_id=0';
const mounted = spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'dead', process.argv[2]], {
  stdio: ['ignore', 'ignore', 'ignore', device],
});
if (mounted.status !== 0) process.exit(1);

/** Integers of 32 bits from the beginning of a reply. */
function reply(id, bytes, numbers) {
  const body = Buffer.alloc(16 + bytes);
  body.writeUInt32LE(body.length, 0);
  body.writeBigUInt64LE(id, 8);
  for (const [at, number] of numbers) body.writeUInt32LE(number, 16 + at);
  writeSync(device, body);
}

const request = Buffer.alloc(1 << 20);
for (;;) {
  try {
    readSync(device, request);
  } catch {
    // It was unmounted.
    process.exit(0);
  }
  const [code, id] = [request.readUInt32LE(4), request.readBigUInt64LE(8)];
  // Its version, and what it reads ahead and takes in one write.
  if (code === INIT) {
    reply(id, 64, [
      [0, 7],
      [4, 31],
      [8, 65_536],
      [20, 4096],
    ]);
    process.stdout.write('mounted\n');
  }
  // Known for an hour; inode 1, a folder that everybody may write, with two links.
  if (code === GETATTR)
    reply(id, 104, [
      [0, 3600],
      [16, 1],
      [76, 0o40777],
      [80, 2],
    ]);
}
