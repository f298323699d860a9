/**
 * A program in the ELF format of 64 bits without what only a debugger reads: the sections behind the last one that is loaded.
 *
 * The `strip` of a machine knows programs of that machine alone, and two versions of it write different files.
 * Format: elf(5). Throws for another format.
 */
export function stripElf(program: Buffer): Buffer {
  if (program.readUInt32BE(0) !== 0x7f454c46 || program[4] !== 2 || program[5] !== 1)
    throw new Error('no ELF program of 64 bits, little-endian');
  const [headersAt, count, namesAt] = [
    Number(program.readBigUInt64LE(40)),
    program.readUInt16LE(60),
    program.readUInt16LE(62),
  ];
  const sections = Array.from({ length: count }, (_, at) => {
    const header = Buffer.from(program.subarray(headersAt + at * HEADER, headersAt + (at + 1) * HEADER));
    const [offset, size] = [Number(header.readBigUInt64LE(24)), Number(header.readBigUInt64LE(32))];
    const isInFile = header.readUInt32LE(4) !== NO_BITS;
    return { header, isLoaded: (header.readUInt32LE(8) & ALLOC) !== 0, end: isInFile ? offset + size : 0 };
  });
  const kept = sections.slice(0, sections.findLastIndex(({ isLoaded }) => isLoaded) + 1);
  const names = sections[namesAt];
  if (names === undefined || kept.some(({ header }) => header.readUInt32LE(40) >= kept.length))
    throw new Error('a section that is loaded needs one that is not');
  const end = Math.max(...kept.map((section) => section.end), ...segmentEnds(program));
  const size = Number(names.header.readBigUInt64LE(32));
  const namesOffset = Number(names.header.readBigUInt64LE(24));
  const newHeadersAt = Math.ceil((end + size) / 8) * 8;
  const stripped = Buffer.alloc(newHeadersAt + (kept.length + 1) * HEADER);
  program.copy(stripped, 0, 0, end);
  program.copy(stripped, end, namesOffset, namesOffset + size);
  names.header.writeBigUInt64LE(BigInt(end), 24);
  [...kept, names].forEach(({ header }, at) => header.copy(stripped, newHeadersAt + at * HEADER));
  stripped.writeBigUInt64LE(BigInt(newHeadersAt), 40);
  stripped.writeUInt16LE(kept.length + 1, 60);
  stripped.writeUInt16LE(kept.length, 62);
  return stripped;
}

const HEADER = 64;
const NO_BITS = 8;
const ALLOC = 2;

/** Where the parts end that the loader maps. */
function segmentEnds(program: Buffer): number[] {
  const [at, size, count] = [Number(program.readBigUInt64LE(32)), program.readUInt16LE(54), program.readUInt16LE(56)];
  return Array.from({ length: count }, (_, index) => {
    const head = at + index * size;
    return Number(program.readBigUInt64LE(head + 8)) + Number(program.readBigUInt64LE(head + 32));
  });
}
