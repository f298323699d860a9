import { shellWord } from '../../core/text/shell-word.ts';
import { commandLine, argumentText, type Word, writtenOut } from './command-line.ts';
import { type Needs, needed, type Process } from './document.ts';
import { resolve, type Scope } from './references.ts';
import { resourcesAskedBy, type ToolResources, variablesOf } from './requirements.ts';
import {
  type Cwl,
  type CwlMap,
  entriesOf,
  fileAt,
  filesIn,
  FOLDERS,
  isCwlList,
  isCwlMap,
  Later,
  pathOfCwlFile,
  Unsupported,
  nameIn,
} from './value.ts';

/** A job made of a tool and its inputs. */
export interface ToolJob {
  readonly command: string;
  readonly asked: ToolResources;
  readonly reads: readonly string[];
  /** Files that the job must write. */
  readonly writes: readonly string[];
  /** What the tool passes on; `Later` where it is known only in a run. */
  readonly outputs: CwlMap;
}

/** The command that runs a tool in a folder of its own. Throws `Unsupported`. */
export function jobOf({ body }: Process, inputs: CwlMap, needs: Needs, folder: string): ToolJob {
  const asked = resourcesAskedBy(needs, { inputs });
  const runtime: CwlMap = {
    cores: asked.cores,
    ram: asked.ramMebibytes,
    outdir: FOLDERS.job,
    tmpdir: FOLDERS.temporary,
    ...asked.sizes,
  };
  const scope: Scope = { inputs, runtime };
  const hasShell = needed(needs, 'ShellCommandRequirement') !== undefined;
  const words = commandLine(body, inputs, runtime).map(({ text, isQuoted }): Word => ({
    text,
    isQuoted: isQuoted || !hasShell,
  }));
  if (words.length === 0) throw new Unsupported('a tool without a command');
  const streams = streamsOf(body, scope, folder);
  const command = [
    `${START}=$PWD; mkdir -p ${shellWord(folder)} && cd ${shellWord(folder)} || exit`,
    'export HOME="$PWD" TMPDIR="${TMPDIR:-/tmp}"',
    ...variablesOf(needs, scope).map(([name, value]) => `export ${name}=${wordOf(argumentText(value))}`),
    redirected(
      words.map(({ text, isQuoted }) => (isQuoted ? wordOf(text) : unquoted(text))).join(' '),
      streams.redirections,
      hasShell,
    ),
    ...codesOf(body),
  ].join('\n');
  const { values, writes } = outputsOf(body, { ...scope, folder, streams });
  return { command, asked, reads: [...new Set(filesIn(inputs).map(pathOfCwlFile))], writes, outputs: values };
}

/** A command that the shell reads may be several, change the folder and exit: its streams are those of all. */
const redirected = (command: string, redirections: readonly string[], hasShell: boolean): string =>
  [hasShell ? `(${command}\n)` : command, ...redirections].join(' ');

/** The variable of the shell with the folder where the run was started. */
const START = 'start';

const SIGNS = new RegExp(`([${Object.values(FOLDERS).join('')}])`);
const IN_SHELL: Readonly<Record<string, string>> = {
  [FOLDERS.start]: `$${START}`,
  [FOLDERS.job]: '$PWD',
  [FOLDERS.temporary]: '$TMPDIR',
};

/** A word for the shell; the signs of folders become what the shell knows. */
function wordOf(text: string): string {
  const written = text.split(SIGNS).map((part) => {
    const variable = IN_SHELL[part];
    if (variable !== undefined) return `"${variable}"`;
    return part === '' ? '' : shellWord(part);
  });
  return written.join('') || "''";
}

/** A text that the shell reads itself. */
const unquoted = (text: string): string =>
  text
    .split(SIGNS)
    .map((part) => IN_SHELL[part] ?? part)
    .join('');

interface Streams {
  readonly redirections: readonly string[];
  /** Names in the folder of the job; undefined where the stream is not kept by the tool. */
  readonly stdout: string | undefined;
  readonly stderr: string | undefined;
}

function streamsOf(body: CwlMap, scope: Scope, folder: string): Streams {
  const named = (key: string): string | undefined =>
    body[key] === undefined || body[key] === null ? undefined : argumentText(resolve(body[key] ?? null, scope));
  const types = entriesOf(body['outputs'], 'id', 'type').map(([, { type }]) => type);
  // Without a name the file gets one.
  const usual = folder.replace(/^.*\//, '');
  const stdout = named('stdout') ?? (types.includes('stdout') ? `${usual}.out` : undefined);
  const stderr = named('stderr') ?? (types.includes('stderr') ? `${usual}.err` : undefined);
  const stdinOf = entriesOf(body['inputs'], 'id', 'type').find(([, { type }]) => type === 'stdin')?.[0];
  const stdin = stdinOf === undefined ? named('stdin') : argumentText(resolve(`$(inputs.${stdinOf}.path)`, scope));
  return {
    redirections: [
      ...(stdin === undefined ? [] : [`< ${wordOf(stdin)}`]),
      ...(stdout === undefined ? [] : [`> ${wordOf(stdout)}`]),
      ...(stderr === undefined ? [] : [`2> ${wordOf(stderr)}`]),
    ],
    stdout,
    stderr,
  };
}

/** Exit codes that count as a success, beside or instead of 0. */
function codesOf({ successCodes }: CwlMap): string[] {
  if (!isCwlList(successCodes)) return [];
  return [`case $? in ${successCodes.map((each) => nameIn(each)).join('|')}) exit 0 ;; *) exit 1 ;; esac`];
}

function outputsOf(
  body: CwlMap,
  { folder, streams, inputs, runtime }: { folder: string; streams: Streams; inputs?: Cwl; runtime?: Cwl },
): { readonly values: CwlMap; readonly writes: readonly string[] } {
  const scope: Scope = { inputs: inputs ?? {}, runtime: runtime ?? {} };
  const values: Record<string, Cwl> = {};
  const writes = new Set<string>();
  for (const [name, output] of entriesOf(body['outputs'], 'id', 'type')) {
    const { value, mustExist } = outputOf(output, { scope, folder, streams });
    values[name] = value;
    if (mustExist) for (const file of filesIn(value)) writes.add(pathOfCwlFile(file));
  }
  return { values, writes: [...writes] };
}

interface Output {
  readonly value: Cwl;
  readonly mustExist: boolean;
}

const later = (why: string, pattern?: string): Output => ({ value: new Later(why, pattern), mustExist: false });

function outputOf(
  output: CwlMap,
  { scope, folder, streams }: { readonly scope: Scope; readonly folder: string; readonly streams: Streams },
): Output {
  const { type: given = null, outputBinding: binding } = output;
  if (given === 'stdout' || given === 'stderr') {
    const name = streams[given] as string;
    return { value: fileAt(`${folder}/${name}`), mustExist: true };
  }
  if (!isCwlMap(binding)) return later('a tool without outputBinding writes its values to cwl.output.json');
  if (binding['outputEval'] !== undefined || binding['loadContents'] === true)
    return later('its value is computed from what the job wrote');
  const glob = resolve(binding['glob'] ?? null, scope);
  const names = isCwlList(glob) ? glob : [glob];
  if (names.some((each) => typeof each !== 'string')) return later('where its files are is known only in a run');
  if (names.some((each) => /[*?[]/.test(nameIn(each))))
    return later(
      'which files match is known only in a run',
      names.map((each) => `${folder}/${nameIn(each)}`).join(', '),
    );
  const options = [writtenOut(given)].flat();
  const isOptional = options.includes('null');
  const only = options.find((each) => each !== 'null') ?? null;
  const isArray = isCwlMap(only) && only['type'] === 'array';
  const of = isCwlMap(only) && isArray ? only['items'] : only;
  if (of !== 'File' && of !== 'Directory') return later('its value is computed from what the job wrote');
  const files = names.map((each) => {
    const text = nameIn(each).replace(`${FOLDERS.job}/`, '');
    return fileAt(text.startsWith('/') ? text : `${folder}/${text.replace(/^\.\//, '')}`, of);
  });
  return { value: isArray ? files : (files[0] ?? null), mustExist: !isOptional && of === 'File' };
}
