/**
 * Makes the libatomic.so.1 that the programs bring for machines that have none (docs/adr/0024).
 *
 * Node 26 needs one function of that library, `__atomic_compare_exchange`, and calls it for objects of 8 bytes only. So
 * the library is that function for 4 and 8 bytes, 48 and 128 bytes of machine code, in the smallest file that the loader
 * of glibc takes. Another size, which no Node has asked for so far, ends the program at an invalid instruction: wrong
 * results would be worse. tests/runtime/library.test.ts calls the function and checks which ones Node needs.
 *
 * bool __atomic_compare_exchange(size_t size, void *object, void *expected, void *desired, int success, int failure)
 *
 * Both orders are taken for the strongest, sequentially consistent, as the instructions below are.
 */
import { write } from './write-generated.ts';

/** System V ABI: size in rdi, object rsi, expected rdx, desired rcx; the result in al. */
const x64 = `
  f3 0f 1e fa        endbr64
  48 83 ff 08        cmp   rdi, 8
  74 08              je    eight
  48 83 ff 04        cmp   rdi, 4
  74 14              je    four
  0f 0b              ud2
  48 8b 02           eight: mov rax, [rdx]
  48 8b 09           mov   rcx, [rcx]
  f0 48 0f b1 0e     lock cmpxchg [rsi], rcx
  74 11              je    end
  48 89 02           mov   [rdx], rax
  eb 0c              jmp   end
  8b 02              four: mov eax, [rdx]
  8b 09              mov   ecx, [rcx]
  f0 0f b1 0e        lock cmpxchg [rsi], ecx
  74 02              je    end
  89 02              mov   [rdx], eax
  0f 94 c0           end: sete al
  c3                 ret
`;

/** AAPCS64: size in x0, object x1, expected x2, desired x3; the result in w0. Runs on every ARMv8, without LSE. */
const arm64 = `
  5f 24 03 d5        bti   c
  1f 20 00 f1        cmp   x0, 8
  80 00 00 54        b.eq  eight
  1f 10 00 f1        cmp   x0, 4
  e0 01 00 54        b.eq  four
  00 00 20 d4        brk   0
  46 00 40 f9        eight: ldr x6, [x2]
  67 00 40 f9        ldr   x7, [x3]
  28 fc 5f c8        again: ldaxr x8, [x1]
  1f 01 06 eb        cmp   x8, x6
  a1 00 00 54        b.ne  differs
  27 fc 09 c8        stlxr w9, x7, [x1]
  89 ff ff 35        cbnz  w9, again
  20 00 80 52        mov   w0, 1
  c0 03 5f d6        ret
  5f 3f 03 d5        differs: clrex
  48 00 00 f9        str   x8, [x2]
  00 00 80 52        mov   w0, 0
  c0 03 5f d6        ret
  46 00 40 b9        four: ldr w6, [x2]
  67 00 40 b9        ldr   w7, [x3]
  28 fc 5f 88        again: ldaxr w8, [x1]
  1f 01 06 6b        cmp   w8, w6
  a1 00 00 54        b.ne  differs
  27 fc 09 88        stlxr w9, w7, [x1]
  89 ff ff 35        cbnz  w9, again
  20 00 80 52        mov   w0, 1
  c0 03 5f d6        ret
  5f 3f 03 d5        differs: clrex
  48 00 00 b9        str   w8, [x2]
  00 00 80 52        mov   w0, 0
  c0 03 5f d6        ret
`;

const LIBRARY = 'libatomic.so.1';
const VERSION = 'LIBATOMIC_1.0';
const FUNCTION = '__atomic_compare_exchange';

interface Target {
  readonly code: string;
  /** e_machine of the ELF header. */
  readonly machine: number;
  /** The largest page that a kernel for this processor may use. */
  readonly pageBytes: number;
}

const targets: Readonly<Record<string, Target>> = {
  x64: { code: x64, machine: 62, pageBytes: 0x1000 },
  arm64: { code: arm64, machine: 183, pageBytes: 0x10000 },
};

for (const [name, target] of Object.entries(targets)) write(`bin/lib/${name}/${LIBRARY}`, libraryOf(target));

/**
 * A shared object as elf(5) describes it: one segment with tables and code, and one with the dynamic section, which
 * loaders before glibc 2.35 write into.
 */
function libraryOf({ code, machine, pageBytes }: Target): Buffer {
  const text = bytesOf(code);
  const names = stringTable([LIBRARY, VERSION, FUNCTION]);
  const headerBytes = 64 + 4 * 56;
  const at = { symbols: headerBytes, versions: 0, definitions: 0, hash: 0, names: 0, text: 0, dynamic: 0 };
  at.versions = at.symbols + 2 * 24;
  at.definitions = at.versions + 8;
  at.hash = at.definitions + 2 * 28;
  at.names = at.hash + 5 * 4;
  at.text = alignedTo(16, at.names + names.bytes.length);
  at.dynamic = alignedTo(8, at.text + text.length);
  const entries: readonly (readonly [tag: number, value: number])[] = [
    [14, names.at(LIBRARY)], // DT_SONAME
    [4, at.hash], // DT_HASH
    [5, at.names], // DT_STRTAB
    [6, at.symbols], // DT_SYMTAB
    [10, names.bytes.length], // DT_STRSZ
    [11, 24], // DT_SYMENT
    [0x6ffffff0, at.versions], // DT_VERSYM
    [0x6ffffffc, at.definitions], // DT_VERDEF
    [0x6ffffffd, 2], // DT_VERDEFNUM
    [0, 0], // DT_NULL
  ];
  const dynamicBytes = entries.length * 16;
  const file = Buffer.alloc(at.dynamic + dynamicBytes);
  const put = writer(file);

  put(0, [[0x7f, 0x45, 0x4c, 0x46, 2, 1, 1], 'bytes']);
  put(16, [3, 2], [machine, 2], [1, 4], [0, 8], [64, 8], [0, 8], [0, 4], [64, 2], [56, 2], [4, 2], [64, 2]);
  const segment = (index: number, values: readonly number[]) => {
    const [type = 0, flags = 0, offset = 0, address = 0, size = 0, align = 0] = values;
    const fields = [offset, address, address, size, size, align].map((value) => [value, 8] as const);
    put(64 + index * 56, [type, 4], [flags, 4], ...fields);
  };
  segment(0, [1, 5, 0, 0, at.text + text.length, pageBytes]); // PT_LOAD, read and execute
  segment(1, [1, 6, at.dynamic, pageBytes + at.dynamic, dynamicBytes, pageBytes]); // PT_LOAD, read and write
  segment(2, [2, 6, at.dynamic, pageBytes + at.dynamic, dynamicBytes, 8]); // PT_DYNAMIC
  segment(3, [0x6474e551, 6, 0, 0, 0, 16]); // PT_GNU_STACK: without it the stack would become executable

  // The symbol 0 is empty; 1 is a global function of version 2.
  put(at.symbols + 24, [names.at(FUNCTION), 4], [0x12, 1], [0, 1], [1, 2], [at.text, 8], [text.length, 8]);
  put(at.versions, [0, 2], [2, 2]);
  const define = (offset: number, flags: number, index: number, name: string, next: number) =>
    put(
      offset,
      ...([
        [1, 2],
        [flags, 2],
        [index, 2],
        [1, 2],
        [elfHash(name), 4],
        [20, 4],
        [next, 4],
      ] as const),
      ...([
        [names.at(name), 4],
        [0, 4],
      ] as const),
    );
  define(at.definitions, 1, 1, LIBRARY, 28);
  define(at.definitions + 28, 0, 2, VERSION, 0);
  put(at.hash, [1, 4], [2, 4], [1, 4], [0, 4], [0, 4]);
  names.bytes.copy(file, at.names);
  text.copy(file, at.text);
  entries.forEach(([tag, value], index) => put(at.dynamic + index * 16, [tag, 8], [value, 8]));
  return file;
}

type Field = readonly [value: number, bytes: number] | readonly [value: readonly number[], bytes: 'bytes'];

/** Puts little-endian fields behind one another. */
function writer(file: Buffer): (offset: number, ...fields: readonly Field[]) => void {
  return (offset, ...fields) => {
    let at = offset;
    for (const [value, bytes] of fields) {
      if (bytes === 'bytes') Buffer.from(value).copy(file, at);
      else if (bytes === 8) file.writeBigUInt64LE(BigInt(value as number), at);
      else file.writeUIntLE(value as number, at, bytes);
      at += bytes === 'bytes' ? (value as readonly number[]).length : bytes;
    }
  };
}

/** Machine code out of a listing: two hex digits a byte, up to the first column of the mnemonics. */
function bytesOf(listing: string): Buffer {
  const lines = listing.split('\n').map((line) => /^ {2}((?:[0-9a-f]{2} )+) /.exec(line)?.[1] ?? '');
  return Buffer.from(lines.join('').replaceAll(' ', ''), 'hex');
}

function stringTable(strings: readonly string[]): { readonly bytes: Buffer; at(text: string): number } {
  const bytes = Buffer.from(`\0${strings.join('\0')}\0`);
  return { bytes, at: (text) => bytes.indexOf(`\0${text}\0`) + 1 };
}

/** The hash of the System V ABI. */
function elfHash(name: string): number {
  let hash = 0;
  for (const letter of Buffer.from(name)) {
    hash = (hash << 4) + letter;
    const high = hash & 0xf0000000;
    hash = (hash ^ (high >>> 24)) & ~high;
  }
  return hash >>> 0;
}

function alignedTo(bytes: number, offset: number): number {
  return Math.ceil(offset / bytes) * bytes;
}
