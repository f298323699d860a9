import { inheritedBytes } from './inherited-bytes.ts';
import { LaunchError, type LaunchRequest } from './launcher.ts';
import type { Libc, Pointer } from './libc.ts';

/** The kernel accepts 2 MiB of arguments and environment together with the usual stack limit; more is refused. */
const SCRATCH_BYTES = 4 * 2 ** 20;
/** The kernel accepts at most 128 KiB for one argument. */
const ARGUMENT_BYTES = 128 * 1024;
const POINTERS = 16_384;

/** The strings and lists of pointers that a call of posix_spawn reads, at fixed addresses. */
export interface SpawnArguments {
  readonly devNull: Pointer;
  /** Writes the program, or `bash -c script`, and its environment in the place of those of the job before. */
  readonly write: (request: Pick<LaunchRequest, 'script' | 'program' | 'without' | 'variables'>) => {
    readonly pathAt: Pointer;
    readonly argumentsAt: Pointer;
    readonly environmentAt: Pointer;
  };
  /** Writes another string of the same job, and returns its address. */
  readonly put: (text: string) => Pointer;
}

/** `environment` is what every job gets. It is at the start of the memory, and written once. */
export function createSpawnArguments(
  { memory }: Libc,
  bash: string,
  environment: Readonly<Record<string, string | undefined>>,
): SpawnArguments {
  const scratch = memory(SCRATCH_BYTES);
  const pointers = memory(POINTERS * 8);
  let used = 0;
  const put = (text: string | Buffer): Pointer => {
    const at = used;
    const room = scratch.bytes.length - at - 1;
    const length =
      typeof text === 'string' ? scratch.bytes.write(text, at, room, 'utf8') : text.copy(scratch.bytes, at);
    // A character takes up to four bytes: with less space left, the text may have been cut.
    if (room - length < 4) throw new LaunchError('E2BIG', 'the environment and the command are larger than 4 MiB');
    scratch.bytes[at + length] = 0;
    used = at + length + 1;
    return scratch.at + BigInt(at);
  };

  const bashAt = put(bash);
  const bashName = put('bash');
  const dashC = put('-c');
  const devNull = put('/dev/null');
  const inherited = new Map<string, Pointer>();
  const exact = inheritedBytes(environment);
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined) inherited.set(name, put(exact.get(name) ?? `${name}=${value}`));
  }
  const head = used;

  let next = 0;
  const point = (at: Pointer) => {
    if (next >= POINTERS) throw new LaunchError('E2BIG', `the environment has more than ${POINTERS - 8} variables`);
    pointers.view.setBigUint64(next * 8, at, true);
    next += 1;
  };
  const addressOf = (index: number) => pointers.at + BigInt(index * 8);
  for (const at of inherited.values()) point(at);

  const putWord = (word: string): Pointer => {
    const before = used;
    const at = put(word);
    const bytes = used - before;
    if (bytes > ARGUMENT_BYTES) {
      throw new LaunchError('E2BIG', `the command is ${bytes - 1} bytes long; the kernel takes ${ARGUMENT_BYTES - 1}`);
    }
    return at;
  };

  return {
    devNull,
    put,
    write({ script, program, without, variables }) {
      used = head;
      const pathAt = program === undefined ? bashAt : put(program.path);
      const words = program === undefined ? [bashName, dashC, putWord(script)] : program.words.map(putWord);
      // The inherited variables stand there from the start; only a job that lacks or replaces one gets a list of its own.
      next = inherited.size;
      const isWhole = without === undefined && !variables.some(([name]) => inherited.has(name));
      const environmentAt = addressOf(isWhole ? 0 : next);
      if (!isWhole) {
        const own = new Set(variables.map(([name]) => name));
        for (const [name, at] of inherited) if (!own.has(name) && without?.has(name) !== true) point(at);
      }
      for (const [name, value] of variables) point(put(`${name}=${value}`));
      point(0n);
      const argumentsAt = addressOf(next);
      for (const at of words) point(at);
      point(0n);
      return { pathAt, argumentsAt, environmentAt };
    },
  };
}
