import { getSystemErrorName } from 'node:util';
import { OPEN_FLAGS } from '../../cluster/trust.ts';
import { asUser, modeOfFiles } from '../../cluster/umask.ts';
import { LaunchError, type LaunchRequest } from './launcher.ts';
import { type Libc, type FixedMemory, type Pointer, STRUCT_BYTES } from './libc.ts';
import type { SpawnArguments } from './spawn-arguments.ts';

const FLAGS = 0x04 | 0x08 | 0x80; // SETSIGDEF, SETSIGMASK, SETSID
const O_RDONLY = 0;

/**
 * A function that starts the program of a job, or bash, and returns its process id.
 *
 * Throws: `LaunchError`.
 */
export function createSpawn(libc: Libc, written: SpawnArguments): (request: LaunchRequest) => number {
  const { calls, memory } = libc;
  const attributes = attributesOfJobs(libc);
  const actions = memory(STRUCT_BYTES);
  const pid = memory(STRUCT_BYTES);

  return (request) => {
    const { stdout, stderr } = request;
    const { pathAt, argumentsAt, environmentAt } = written.write(request);
    // The child opens the files of the job; it already has the user's umask.
    const mode = modeOfFiles();
    calls.posix_spawn_file_actions_init(actions.at);
    try {
      const open = (fd: number, path: Pointer, flags: number) =>
        calls.posix_spawn_file_actions_addopen(actions.at, fd, path, flags, mode);
      const pathOf = (path: string | undefined) => (path === undefined ? written.devNull : written.put(path));
      open(0, written.devNull, O_RDONLY);
      open(1, pathOf(stdout), OPEN_FLAGS.replace);
      if (stderr !== undefined && stderr === stdout) calls.posix_spawn_file_actions_adddup2(actions.at, 1, 2);
      else open(2, pathOf(stderr), OPEN_FLAGS.replace);
      const code = asUser(() =>
        calls.posix_spawn(pid.at, pathAt, actions.at, attributes.at, argumentsAt, environmentAt),
      );
      if (code === 0) return pid.view.getInt32(0, true);
      const name = getSystemErrorName(-code);
      throw new LaunchError(name, `${request.program?.words[0] ?? 'bash'} could not be started: ${name}`);
    } finally {
      calls.posix_spawn_file_actions_destroy(actions.at);
    }
  };
}

/** A session of its own, and the usual effect of every signal. */
function attributesOfJobs({ calls, memory }: Libc): FixedMemory {
  const attributes = memory(STRUCT_BYTES);
  const allSignals = memory(STRUCT_BYTES);
  const noSignals = memory(STRUCT_BYTES);
  calls.posix_spawnattr_init(attributes.at);
  // Not by sigfillset: it leaves out the two signals that libc reserves for threads, and jobs would then ignore those.
  allSignals.bytes.fill(0xff);
  calls.sigemptyset(noSignals.at);
  calls.posix_spawnattr_setflags(attributes.at, FLAGS);
  calls.posix_spawnattr_setsigdefault(attributes.at, allSignals.at);
  calls.posix_spawnattr_setsigmask(attributes.at, noSignals.at);
  return attributes;
}
