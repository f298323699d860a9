import { type Chunk, chunksIn, parsePbsBytes } from '../../core/allocation/chunks.ts';
import { formatMemory } from '../../core/quantity/bytes.ts';
import { formatRuntime } from '../../core/quantity/duration.ts';
import { greatest } from '../../core/quantity/extremes.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import type { Directives } from '../array/dialect.ts';
import type { Directive } from '../array/script.ts';
import type { Report } from '../conversion.ts';
import { qsubText, RESOURCE } from './options.ts';

const GIB = 2 ** 30;

/** The resources that say what a task needs. */
const ASKED = ['select', 'nodes', 'ncpus', 'mem', 'pmem', 'ngpus', 'walltime'];

export const isAsked = (name: string): boolean =>
  name.startsWith(RESOURCE) && ASKED.includes(name.slice(RESOURCE.length));

/**
 * The resource requirements of a task; undefined if the script asks for nothing. A chunk of `select` is a node of it.
 *
 * PBS gives a CPU and limits no memory where nothing is asked for; memory becomes 1 GiB for each CPU, the time the hour that Torc assumes, and the
 * report says so.
 */
export function requirementsOfChunks(directives: Directives, report: Report): ValueMap | undefined {
  const of = (name: string) => directives.get(RESOURCE + name);
  if (!ASKED.some((name) => of(name) !== undefined)) return undefined;
  const chunks = chunksOf(of, report);
  const cpus = greatest(
    chunks.map((each) => each.cpus),
    1,
  );
  const gpus = greatest(
    chunks.map((each) => each.gpus),
    0,
  );
  const nodes = chunks.reduce((sum, { count }) => sum + count, 0);
  const memories = chunks.flatMap(({ memoryBytes }) => memoryBytes ?? []);
  const memory = formatMemory(memories.length === 0 ? cpus * GIB : greatest(memories));
  if (memories.length === 0) report.note('no mem', `PBS limits none then; each job asks for ${memory}`);
  return {
    num_cpus: cpus,
    memory,
    ...(gpus === 0 ? {} : { num_gpus: gpus }),
    ...(nodes <= 1 ? {} : { num_nodes: nodes }),
    ...runtimeOf(of('walltime'), report),
  };
}

function chunksOf(of: (name: string) => Directive | undefined, report: Report): readonly Chunk[] {
  const [select, nodes] = [of('select'), of('nodes')];
  const whole = select ?? nodes;
  if (whole === undefined) {
    const number = (name: string, otherwise: number) => Number(of(name)?.value ?? otherwise) || otherwise;
    const memory = of('mem');
    return [
      { count: 1, cpus: number('ncpus', 1), memoryBytes: memory && bytesOf(memory, report), gpus: number('ngpus', 0) },
    ];
  }
  const chunks = readChunks(whole, report);
  const [first] = chunks;
  if (chunks.some((each) => each.cpus !== first?.cpus || each.memoryBytes !== first?.memoryBytes))
    report.note(qsubText(whole), 'its chunks differ; each node of the job has what the largest asks for', whole.line);
  // Beside nodes= the memory is that of all of them.
  const memory = select === undefined ? of('mem') : undefined;
  if (memory === undefined) return chunks;
  const all = chunks.reduce((sum, { count }) => sum + count, 0);
  const bytes = bytesOf(memory, report);
  return chunks.map((each) => ({ ...each, memoryBytes: bytes === undefined ? undefined : Math.ceil(bytes / all) }));
}

/** The chunks of a request, and the report on what they say beside amounts. */
function readChunks(whole: Directive, report: Report): readonly Chunk[] {
  const text = whole.value ?? '';
  if (text.split('+').some((part) => !/^(?:\d+(?::|$)|[^:]*=)/.test(part)))
    report.note(qsubText(whole), 'jobs run on any node; name some in the select of pbs_schedulers', whole.line);
  for (const [, size] of text.matchAll(/(?:^|[:+])mem=([^:+]*)/g)) bytesOf({ ...whole, value: size }, report);
  return chunksIn(text).map((each) => ({
    ...each,
    cpus: each.cpus || 1,
    memoryBytes: each.memoryBytes || undefined,
  }));
}

function bytesOf(directive: Directive, report: Report): number | undefined {
  const bytes = parsePbsBytes(directive.value);
  if (bytes) return bytes;
  report.leaveOut(qsubText(directive), 'no size of PBS, such as 8gb', directive.line);
  return undefined;
}

function runtimeOf(directive: Directive | undefined, report: Report): ValueMap {
  if (directive === undefined) return {};
  const seconds = secondsOf(directive.value ?? '');
  if (seconds > 0) return { runtime: formatRuntime(seconds) };
  report.leaveOut(qsubText(directive), 'no time of PBS, such as 01:30:00', directive.line);
  return {};
}

/** `90`, `1:30`, `00:01:30`: seconds stand last. */
const secondsOf = (text: string): number =>
  /^\d+(?::\d+){0,2}(?:\.\d+)?$/.test(text)
    ? Math.ceil(text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0))
    : Number.NaN;
