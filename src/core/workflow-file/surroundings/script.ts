import { COMMAND_FOLLOWS, type ContainerImage, containerLines, type InContainer } from './container.ts';
import { shellText } from './shell-text.ts';

/** Where a job runs: in a container, in an environment of conda, with modules of the machine. All texts are written out. */
export interface JobSurroundings {
  readonly container?: ContainerImage | undefined;
  readonly conda?: string | undefined;
  /** Names of modules, separated by blanks. */
  readonly module?: string | undefined;
}

/** An exit code for what failed before the command, as of a command that cannot be executed. */
const NOT_STARTED = 126;

/**
 * The invocation script that runs the command of a job in its surroundings, as lines before the command; undefined if it has
 * none. `bash -c` executes script and command, with every runner and server of Torc.
 */
export function surroundingsScript(
  { container, conda, module }: JobSurroundings,
  job: InContainer,
): string | undefined {
  const lines = [
    ...(module === undefined ? [] : moduleLines(module)),
    ...(conda === undefined ? [] : condaLines(conda)),
    ...(container === undefined ? [] : containerLines(container, job)),
  ];
  return lines.length === 0 ? undefined : [...lines, COMMAND_FOLLOWS, ''].join('\n');
}

const orGiveUp = (words: string) => `|| { echo "torc: ${words}" >&2; exit ${NOT_STARTED}; }`;

/** A shell that is not interactive may lack the function: the usual files define it. */
function moduleLines(names: string): string[] {
  const words = names.split(/\s+/).filter((name) => name !== '');
  return [
    'type module >/dev/null 2>&1 || for torc_file in "${LMOD_PKG:-/usr/share/lmod/lmod}/init/bash" "${MODULESHOME:-/usr/share/modules}/init/bash" /etc/profile.d/modules.sh /etc/profile.d/lmod.sh; do if [ -r "$torc_file" ]; then . "$torc_file"; break; fi; done',
    `module load ${words.map(shellText).join(' ')} ${orGiveUp('module load failed')}`,
  ];
}

/** A name, or the folder of an environment. */
const condaLines = (environment: string): string[] => [
  `torc_conda=$("\${CONDA_EXE:-conda}" shell.bash hook) && eval "$torc_conda" && conda activate ${shellText(environment)} ${orGiveUp('the conda environment could not be activated')}`,
];
