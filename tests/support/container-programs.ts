import type { ContainerRuntime } from '../../src/core/workflow-file/surroundings/runtime.ts';

/**
 * Lines of bash that leave in `$@` what a runtime starts in a container of an image with this entrypoint, by Docker's rule: the
 * entrypoint of the image or of `--entrypoint`, then the words behind the image. Apptainer starts the entrypoint with `run` alone,
 * and evaluates the words without `--no-eval`. Seen with Podman 4.3 and 5.8, Docker 28.5 and Apptainer 1.4.
 */
export const startsInContainer = (runtime: ContainerRuntime, entrypoint: readonly string[] = []): string =>
  [
    `torc_entrypoint=(${entrypoint.map((word) => `'${word}'`).join(' ')}); torc_evaluates=${runtime === 'apptainer'}`,
    '[ "$1" != exec ] || { torc_entrypoint=(); torc_evaluates=false; }',
    'shift',
    'while case $1 in',
    '  --entrypoint) torc_entrypoint=(); [ -z "$2" ] || torc_entrypoint=("$2"); shift 2 ;;',
    '  --no-eval) torc_evaluates=false; shift ;;',
    '  --rm | --nv | --rocm) shift ;;',
    '  --*) shift 2 ;;',
    '  *) false ;;',
    'esac; do :; done',
    'shift',
    'if "$torc_evaluates"; then torc_words=; for torc_word; do torc_words+=" \\"$torc_word\\""; done; eval "set --$torc_words"; fi',
    'set -- "${torc_entrypoint[@]}" "$@"',
  ].join('\n');
