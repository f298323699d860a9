import { foreignFunctions, type Signature, takes } from '../../cluster/foreign-functions.ts';

/**
 * Calls of libc through the runtime's foreign function interface.
 *
 * Buffers whose addresses are passed to libc stay in `kept` for the life of the process: if one were collected while
 * its address is in use, memory would be corrupted.
 */
export interface Libc {
  /** The functions by their names. */
  readonly calls: Calls;
  readonly memory: (bytes: number) => FixedMemory;
}

/** Memory at a fixed address, which is never freed. */
export interface FixedMemory {
  readonly bytes: Buffer;
  readonly view: DataView;
  readonly at: Pointer;
}

export type Pointer = bigint;
type Call<Result> = (...args: (number | Pointer)[]) => Result;

/** Larger than any libc's: file actions take 80 bytes, attributes 336, a signal set 128, rusage 144 (glibc) or 272 (musl). */
export const STRUCT_BYTES = 512;

const p = 'pointer';
const i = 'i32';
const FUNCTIONS = {
  posix_spawn: takes(p, p, p, p, p, p),
  posix_spawnattr_init: takes(p),
  posix_spawnattr_setflags: takes(p, 'i16'),
  posix_spawnattr_setsigdefault: takes(p, p),
  posix_spawnattr_setsigmask: takes(p, p),
  posix_spawn_file_actions_init: takes(p),
  posix_spawn_file_actions_destroy: takes(p),
  posix_spawn_file_actions_addopen: takes(p, i, p, i, 'u32'),
  posix_spawn_file_actions_adddup2: takes(p, i, i),
  sigemptyset: takes(p),
  wait4: takes(i, p, i, p),
  waitid: takes(i, i, p, i),
  fcntl: takes(i, i, i),
  getrlimit: takes(i, p),
  setrlimit: takes(i, p),
  syscall: { ...takes('i64', 'i64', p, 'i64', 'i64'), return: 'i64', result: 'i64' },
  sched_getaffinity: takes(i, 'i64', p),
  sched_setaffinity: takes(i, 'i64', p),
} satisfies Record<string, Signature>;

/** An i64 is a bigint in JavaScript, an i32 a number. */
export type Calls = { readonly [Name in keyof typeof FUNCTIONS]: Call<Name extends 'syscall' ? bigint : number> };

const kept: ArrayBuffer[] = [];

/** Throws where the runtime has no foreign functions, or libc lacks one of these. */
export function openLibc(): Libc {
  const ffi = foreignFunctions<Calls>();
  const { functions } = ffi.dlopen(null, FUNCTIONS);
  return {
    calls: functions,
    memory(bytes) {
      const buffer = new ArrayBuffer(bytes);
      kept.push(buffer);
      return { bytes: Buffer.from(buffer), view: new DataView(buffer), at: ffi.getRawPointer(buffer) };
    },
  };
}
