import type { ContainerRuntime } from './runtime.ts';
import { shellText } from './shell-text.ts';

/**
 * A folder or file of the machine in a container: `SOURCE`, `SOURCE:TARGET` or `SOURCE:TARGET:OPTIONS`.
 *
 * A colon separates where a path or a variable follows it, and before the options, which are words of letters. So a folder may be
 * named after a time, as `/runs/18:30:00`. A colon that would separate and belongs to a name is written `\:`.
 */
interface Bind {
  readonly source: string;
  readonly target: string;
  readonly options: string;
}

const SEPARATOR = /(?<!\\):(?=[/$])/;
const OPTIONS = /(?<!\\):([a-z][\w=]*(?:,[a-z][\w=]*)*)$/i;

function bindOf(text: string): Bind {
  const [source = '', ...rest] = text.split(SEPARATOR);
  const written = rest.join(':');
  const options = OPTIONS.exec(written)?.[1] ?? '';
  const target = options === '' ? written : written.slice(0, -options.length - 1);
  const path = (name: string) => name.replaceAll('\\:', ':');
  return { source: path(source), target: path(target === '' ? source : target), options };
}

/** Why a bind cannot be meant as it is written; undefined for one that can. */
export function bindProblem(text: string): string | undefined {
  const parts = text.split(SEPARATOR);
  const options = parts.length === 1 ? OPTIONS.exec(text)?.[1] : undefined;
  if (options === 'ro' || options === 'rw') {
    const path = text.slice(0, -options.length - 1);
    return `'${text}' has options and no second path; write '${path}:${path}:${options}'`;
  }
  if (parts.length > 2) return `'${text}' has more than two paths; a colon that is part of a name is written \\:`;
  // A name before a second path is a volume of the engine.
  if (parts.length === 1 && !/^[/${]/.test(text))
    return `'${text}' is no absolute path${text.startsWith('~/') ? `; write '$HOME${text.slice(1)}'` : ''}`;
  return undefined;
}

/** Words that an option of the runtime reads as separators, as a pattern of the shell; with `--mount` they are part of names. */
const SEPARATED: Readonly<Record<ContainerRuntime, string>> = { apptainer: '*[:,]*', podman: '*:*', docker: '*:*' };

/**
 * A function of the shell that adds a bind to the options of the runtime, once for each target, and its first calls.
 *
 * `--mount` takes a line of CSV. Only paths that need it use it: Apptainer has it since 1.0, and Docker does not make a missing
 * source for it.
 */
export const bindLines = (runtime: ContainerRuntime, binds: readonly string[]): string[] => [
  'declare -A torc_bound',
  'torc_options=()',
  'torc_bind() {',
  '  [ -z "${torc_bound[x$2]}" ] || return 0',
  '  torc_bound[x$2]=1',
  `  case $1$2 in ${SEPARATED[runtime]}) ;; *) torc_options+=(${runtime === 'apptainer' ? '--bind' : '--volume'} "$1:$2\${3:+:$3}"); return ;; esac`,
  '  local torc_field torc_mount=type=bind',
  '  for torc_field in "src=$1" "dst=$2" ${3//,/ }; do',
  `    case $torc_field in rw) continue ;; *[,\\"]*) torc_field=\\"\${torc_field//\\"/\\"\\"}\\" ;; esac`,
  '    torc_mount+=,$torc_field',
  '  done',
  '  torc_options+=(--mount "$torc_mount")',
  '}',
  ...binds
    .map(bindOf)
    .map(
      ({ source, target, options }) =>
        `torc_bind ${shellText(source)} ${shellText(target)}${options === '' ? '' : ` ${options}`}`,
    ),
];
