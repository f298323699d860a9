import { MEMORY_REPORT_VARIABLE } from '../../contract/files/job.ts';
import { bindLines } from './bind.ts';
import type { ContainerRuntime } from './runtime.ts';
import { shellText } from './shell-text.ts';

export interface ContainerImage {
  readonly image: string;
  readonly runtime: ContainerRuntime;
  /** `/data`, `/data:/mnt` or `/data:/mnt:ro`. */
  readonly binds: readonly string[];
  /** The program that the image starts by itself runs, with the command as its arguments. */
  readonly keepEntrypoint?: boolean | undefined;
}

/** What a container of a job needs of it. */
export interface InContainer {
  /** Names of the variables of the job and of its workflow. */
  readonly variables: readonly string[];
  /** Folders of its files that have absolute paths or lead out of the working folder. */
  readonly folders: readonly string[];
}

/** The line between the script and the command, by which the script finds the command in the text that bash executes. */
export const COMMAND_FOLLOWS = '# The command of the job:';

/**
 * Runs the command in a container, in the same folder as outside, with the variables of the job and its GPUs.
 *
 * Working folder, output folder, submission folder and the folders of files are bound under their own paths; those that do not
 * exist yet by the nearest folder above that does.
 */
export function containerLines(container: ContainerImage, job: InContainer): string[] {
  const folders = ['"$PWD"', '"$TORC_OUTPUT_DIR"', '"$TORC_WORKFLOW_SUBMISSION_DIR"', ...job.folders.map(shellText)];
  return [
    `torc_command=\${BASH_EXECUTION_STRING#*$'\\n${COMMAND_FOLLOWS}\\n'}`,
    ...bindLines(container.runtime, container.binds),
    `for torc_folder in ${folders.join(' ')}; do`,
    '  [ -n "$torc_folder" ] || continue',
    '  torc_folder=$(realpath -ms -- "$torc_folder")',
    '  until [ -d "$torc_folder" ]; do torc_folder=$(dirname -- "$torc_folder"); done',
    '  [ "$torc_folder" = / ] || torc_bind "$(realpath -- "$torc_folder")" "$torc_folder"',
    'done',
    ...(container.runtime === 'apptainer'
      ? apptainerLines(container)
      : engineLines(container.runtime, container, job.variables)),
  ];
}

/** Commands are written for bash; many small images have only `sh`. */
const WITH_SHELL = 's=$(command -v bash || echo sh); ';

/**
 * Its processes are those of the job: in its process group, its control group and its environment. `run` starts the entrypoint of
 * an image that was made for Docker; without the option it would evaluate the command as text of a shell first.
 */
const apptainerLines = ({ image, keepEntrypoint }: ContainerImage): string[] => [
  'if [ -n "$CUDA_VISIBLE_DEVICES" ]; then if [ -e /dev/kfd ]; then torc_options+=(--rocm); else torc_options+=(--nv); fi; fi',
  `${keepEntrypoint === true ? 'exec apptainer run --no-eval' : 'exec apptainer exec'} "\${torc_options[@]}" --pwd "$PWD" ${shellText(image)} sh -c '${WITH_SHELL}exec "$s" -c "$1"' sh "$torc_command"`,
];

/** Variables that a job may depend on and that a container does not inherit. */
const PASSED = ['OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'TZ', 'LANG'];

/** The signals with which a job may be asked to end. */
const SIGNALS = ['TERM', 'INT', 'HUP', 'USR1', 'USR2', 'QUIT'];

/**
 * The first process of a container gets no signal that it does not handle: it passes them on to the command, and waits for it.
 *
 * It knows, too, whether the kernel killed something at the limit of the container: the container and its counter are gone when
 * its engine returns. A shell that lost a command may end with any code, 0 included. It reports with `true` and not with `:`, which
 * would end a POSIX shell where the file cannot be written.
 */
const FIRST_PROCESS = [
  `${WITH_SHELL}"$s" -c "$1" & p=$!`,
  `for s in ${SIGNALS.join(' ')}; do trap "kill -$s $p" "$s"; done`,
  'while :; do wait "$p"; c=$?; kill -0 "$p" 2>/dev/null || break; done',
  'if [ -n "$2" ]; then for f in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do',
  '  [ -r "$f" ] && while read -r k n; do if [ "$k" = oom_kill ] && [ "$n" != 0 ]; then c=137',
  '    echo "torc: the kernel killed a process of this container at its memory limit of $2 bytes" >&2',
  `    true 2>/dev/null > "$${MEMORY_REPORT_VARIABLE}"; fi; done < "$f"`,
  'done; fi',
  'exit "$c"',
].join('\n');

/**
 * The limits of the job, where its runner enforces them: the engine does so for the container, which is in other control groups.
 *
 * Docker refuses less than 6 MiB and more CPUs than the machine has. Podman refuses what its user may not limit, as without root
 * on version 1 of control groups.
 */
const limitLines = (engine: Exclude<ContainerRuntime, 'apptainer'>): string[] => [
  'torc_memory=',
  'if [ -n "$TORC_MEMORY_LIMIT_BYTES$TORC_CPU_LIMIT" ]; then',
  engine === 'docker'
    ? "  torc_controllers=' cpu memory '"
    : "  torc_controllers=$(podman info --format '{{.Host.CgroupControllers}}' 2>/dev/null | tr '[]' '  ')",
  '  case $torc_controllers in *" memory "*) torc_memory=$TORC_MEMORY_LIMIT_BYTES ;; esac',
  '  if [ -n "$torc_memory" ]; then',
  '    [ "$torc_memory" -ge 6291456 ] || torc_memory=6291456',
  '    torc_options+=(--memory "$torc_memory" --memory-swap "$torc_memory")',
  '  fi',
  '  case $torc_controllers in *" cpu "*) [ "${TORC_CPU_LIMIT:-999999}" -ge "$(getconf _NPROCESSORS_ONLN)" ] || torc_options+=(--cpus "$TORC_CPU_LIMIT") ;; esac',
  'fi',
];

/**
 * Processes of the container have another parent and other control groups. Signals reach them through the client, which is in
 * the process group of the job. If client and shell are killed, the pipe closes, and the process behind it removes the container.
 *
 * An engine puts the entrypoint of the image before the words that follow it: `tool sh -c …`, which may do something else and end
 * with 0. Naming `sh` as the entrypoint works with every version; an empty one, which removes it, does not with Docker before 1.13
 * and with clients of Podman before 4 that ask a service.
 *
 * GPUs are numbered from 0 inside, so the variables that choose among those of the machine are not passed.
 */
const engineLines = (
  engine: Exclude<ContainerRuntime, 'apptainer'>,
  { image, keepEntrypoint }: ContainerImage,
  variables: readonly string[],
) => [
  `for torc_name in $(compgen -e TORC_) $(compgen -e SLURM_) ${[...new Set([...PASSED, ...variables])].join(' ')}; do torc_options+=(--env "$torc_name"); done`,
  'if [ -n "$CUDA_VISIBLE_DEVICES" ]; then if [ -e /dev/kfd ]; then torc_options+=(--device /dev/kfd --device /dev/dri)',
  engine === 'docker'
    ? '  else torc_options+=(--gpus "\\"device=$CUDA_VISIBLE_DEVICES\\""); fi; fi'
    : '  else for torc_gpu in ${CUDA_VISIBLE_DEVICES//,/ }; do torc_options+=(--device "nvidia.com/gpu=$torc_gpu"); done; fi; fi',
  // Root in a container of Podman is its user outside; the user of an image could not write to the folders of the job.
  `torc_options+=(--user ${engine === 'docker' ? '"$(id -u):$(id -g)"' : '0:0'})`,
  ...limitLines(engine),
  'torc_container=torc-$TORC_WORKFLOW_ID-$TORC_RUN_ID-$TORC_JOB_ID-$TORC_ATTEMPT_ID-$$',
  `exec {torc_life}> >(exec setsid env -u TORC_RUNNER_MARK bash -c 'trap "" ${SIGNALS.join(' ')}; cat; ${engine} kill "$0"; ${engine} rm --force "$0"' "$torc_container" >/dev/null 2>&1)`,
  `trap : ${SIGNALS.join(' ')}`,
  `${engine} run --rm --name "$torc_container" --network host --workdir "$PWD" "\${torc_options[@]}" ${started(image, keepEntrypoint)} -c '${FIRST_PROCESS}' sh "$torc_command" "$torc_memory" {torc_life}>&-`,
  'exit',
];

const started = (image: string, keepEntrypoint = false): string =>
  keepEntrypoint ? `${shellText(image)} sh` : `--entrypoint sh ${shellText(image)}`;
