import { formatMemory } from '../../core/quantity/bytes.ts';
import { formatRuntime } from '../../core/quantity/duration.ts';
import { parseGres } from '../../core/quantity/gres.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import type { Report } from '../conversion.ts';
import { type Directive, wordSet } from '../array/script.ts';

const MIB = 2 ** 20;

/** The options that say what a task of the array needs. */
export const RESOURCES: ReadonlySet<string> = wordSet(`
  cpus-per-task ntasks ntasks-per-node nodes mem mem-per-cpu mem-per-gpu time gpus gpus-per-node
  gpus-per-task gres
`);

/**
 * The resource requirements of a task; undefined if the script asks for nothing.
 *
 * Slurm gives what the script does not ask for from the settings of the partition, which it does not contain: memory
 * becomes 1 GiB for each CPU, the time the hour that Torc assumes, and the report says so.
 */
export function requirementsOfDirectives(
  directives: ReadonlyMap<string, Directive>,
  report: Report,
): ValueMap | undefined {
  if (![...directives.keys()].some((name) => RESOURCES.has(name))) return undefined;
  const count = (name: string, otherwise = 1) => countOf(directives.get(name), otherwise, report);
  const nodes = count('nodes');
  const tasks = Math.max(nodes, count('ntasks', nodes * count('ntasks-per-node')));
  const tasksPerNode = Math.ceil(tasks / nodes);
  const cpus = tasksPerNode * count('cpus-per-task');
  const gpus = gpusOf(directives, { nodes, tasksPerNode }, report);
  return {
    num_cpus: cpus,
    memory: memoryOf(directives, { cpus, gpus }, report),
    ...(gpus === 0 ? {} : { num_gpus: gpus }),
    ...(nodes === 1 ? {} : { num_nodes: nodes }),
    ...runtimeOf(directives.get('time'), report),
  };
}

/** `--nodes` may be a range; its first number is what the program needs. */
function countOf(directive: Directive | undefined, otherwise: number, report: Report): number {
  if (directive === undefined) return otherwise;
  const [, number, more] = /^(\d+)(-\d+)?$/.exec(directive.value ?? '') ?? [];
  if (number === undefined || Number(number) === 0) {
    report.leaveOut(directiveText(directive), `no whole number; ${otherwise} is used`, directive.line);
    return otherwise;
  }
  if (more !== undefined) report.note(directiveText(directive), `each job asks for ${number}`, directive.line);
  return Number(number);
}

function memoryOf(
  directives: ReadonlyMap<string, Directive>,
  { cpus, gpus }: { readonly cpus: number; readonly gpus: number },
  report: Report,
): string {
  const [name, times] = (
    [
      ['mem', 1],
      ['mem-per-cpu', cpus],
      ['mem-per-gpu', Math.max(1, gpus)],
    ] as const
  ).find(([each]) => directives.has(each)) ?? ['', 1];
  const directive = directives.get(name);
  const [, digits, letter = 'm'] = /^(\d+(?:\.\d+)?)([kmgt]?)b?$/i.exec(directive?.value ?? '') ?? [];
  if (directive !== undefined && digits !== undefined && Number(digits) > 0)
    return formatMemory(Number(digits) * BYTES[(letter || 'm').toLowerCase() as keyof typeof BYTES] * times);
  const memory = formatMemory(cpus * 1024 * MIB);
  if (directive === undefined) report.note('no --mem', `the partition decides in Slurm; each job asks for ${memory}`);
  else if (digits === undefined)
    report.leaveOut(directiveText(directive), `no size; each job asks for ${memory}`, directive.line);
  else
    report.leaveOut(
      directiveText(directive),
      `all memory of a node cannot be asked for; each job asks for ${memory}`,
      directive.line,
    );
  return memory;
}

const BYTES = { k: 2 ** 10, m: MIB, g: 2 ** 30, t: 2 ** 40 };

function gpusOf(
  directives: ReadonlyMap<string, Directive>,
  { nodes, tasksPerNode }: { readonly nodes: number; readonly tasksPerNode: number },
  report: Report,
): number {
  const per = { gpus: 1 / nodes, 'gpus-per-node': 1, 'gpus-per-task': tasksPerNode, gres: 1 } as const;
  for (const [name, times] of Object.entries(per)) {
    const directive = directives.get(name);
    if (directive === undefined) continue;
    const { line, value = '' } = directive;
    const asked = parseGres(name === 'gres' ? value : `gpu:${value}`);
    const others = name === 'gres' ? value.split(',').filter((each) => !/^gpu(?::|$)/.test(each)) : [];
    for (const other of others) report.note(`--gres=${other}`, 'not a GPU; give it to the allocation', line);
    if (asked === undefined) continue;
    if (asked.type !== undefined)
      report.note(
        directiveText(directive),
        `jobs ask for a number of GPUs, the allocation for the type ${asked.type}`,
        line,
      );
    return Math.ceil(Math.max(1, asked.count) * times);
  }
  return 0;
}

function runtimeOf(directive: Directive | undefined, report: Report): ValueMap {
  if (directive === undefined) return {};
  const seconds = secondsOf(directive.value ?? '');
  if (seconds !== undefined && seconds > 0) return { runtime: formatRuntime(seconds) };
  report.note(
    directiveText(directive),
    'no limit; each job has the default of an hour, change runtime if it takes longer',
    directive.line,
  );
  return {};
}

/**
 * Seconds of a time limit of sbatch(1): minutes, MM:SS, HH:MM:SS, D-HH, D-HH:MM, D-HH:MM:SS. Behind days the first number is
 * hours, unlike in the walltimes of workflow files.
 */
function secondsOf(text: string): number | undefined {
  const match = /^(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [days, ...clock] = match.slice(1).map((part) => (part === undefined ? undefined : Number(part)));
  const [first = 0, second, third] = clock;
  if (days !== undefined) return days * 86_400 + first * 3600 + (second ?? 0) * 60 + (third ?? 0);
  if (second === undefined) return first * 60;
  return third === undefined ? first * 60 + second : first * 3600 + second * 60 + third;
}

export const directiveText = ({ name, value }: Directive): string =>
  `--${name}${value === undefined ? '' : `=${value}`}`;
