import { parseGres } from '../../core/quantity/gres.ts';
import {
  type PlannedRequest,
  type SchedulerRequest,
  type SiteForms,
  withSiteOptions,
} from '../batch/scheduler-request.ts';
import { plannedCpusIn } from './submission-script.ts';

/** Chunks, as PBS Professional has them since 2007 and OpenPBS. */
const CHUNKS = ['select={nodes}:ncpus={cpus}:mem={memory}:ngpus={gpus}'];

/**
 * A planned allocation in the form that the site asks for: each text is an option `-l` of qsub, with the numbers of the plan in it. What names
 * GPUs is left out where there are none.
 *
 * Chunks and `nodes={nodes}:ppn={cpus}` have the numbers of a node; `mem={memory}`, `ncpus={cpus}` and others are sums of the job.
 */
export function pbsRequest(planned: PlannedRequest, { resources = CHUNKS, options }: SiteForms): SchedulerRequest {
  const { name, account, mem, nodes, walltime, partition, gres, extra, on, pbs } = planned;
  const { cpus = on.cpus_per_node, rest: kept } = plannedCpusIn(extra);
  const gpus = parseGres(gres ?? '')?.count ?? 0;
  const asked = resources.flatMap((form) => {
    const parts = form.split(':').filter((part) => gpus > 0 || !part.includes('{gpus}'));
    const times = OF_A_PART.test(form) ? 1 : nodes;
    const numbers: Readonly<Record<string, string | number>> = {
      nodes,
      cpus: cpus * times,
      memory: `${mem.replace(/^\d+/, (count) => String(Number(count) * times))}b`,
      gpus: gpus * times,
    };
    const text = parts.join(':').replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(numbers[name] ?? whole));
    return text === '' ? [] : [text];
  });
  const valueOf = (name: string) => asked.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);
  const place = valueOf('place') ?? pbs?.place;
  const select = valueOf('select');
  const others = asked.filter((text) => !/^(?:select|place)=/.test(text));
  const names = others.map((text) => text.split('=')[0] as string);
  const own = withoutResources(kept, new Set([...ANEW, ...names, ...(asked.length === 0 ? [] : SIZES)]));
  const more = withSiteOptions(own === '' ? undefined : own, options);
  const words = [...(more === undefined ? [] : [more]), ...others.map((text) => `-l ${text}`)].join(' ');
  const old = pbs?.select ?? /(?<!\S)-l\s*(?:\S+,)?select=([^\s,]+)/.exec(kept)?.[1];
  return {
    name,
    account,
    nodes,
    walltime,
    partition,
    extra: words === '' ? undefined : words,
    pbs: { project: pbs?.project, select: select === undefined ? undefined : withMarks(select, old), place },
  };
}

/** Texts whose numbers are those of a chunk, a node or a process. Source: pbs_resources(7B). */
const OF_A_PART = /^(?:select|nodes|pv?mem)=/;

/** What each plan says anew, and the nodes of the allocation before, which may have crashed. */
const ANEW = ['walltime', 'host', 'vnode'];
/** Requests for nodes and what they have: qsub refuses several forms beside each other. */
const SIZES = ['select', 'nodes', 'ncpus', 'mem', 'vmem', 'ngpus', 'mpiprocs'];

/** Options of qsub without their resources of these names: `-l mem=4gb,storage=a` keeps the other one. */
const withoutResources = (options: string, names: ReadonlySet<string>): string =>
  options
    .replaceAll(/(?<!\S)-l\s*(\w+=\S+)/g, (_, list: string) => {
      const left = list.split(/,(?=\w+=)/).filter((each) => !names.has(each.split('=')[0] as string));
      return left.length === 0 ? '' : `-l ${left.join(',')}`;
    })
    .trim()
    .replaceAll(/\s+/g, ' ');

/** Chunks with what the old ones all ask for beside their sizes: `model=sky`. */
function withMarks(select: string, old: string | null | undefined): string {
  const nameOf = (part: string) => part.split('=')[0] as string;
  const planned = new Set([...SIZES, ...select.split(':').map(nameOf)]);
  const [first = [], ...others] = (old ?? '').split('+').map((chunk) => chunk.trim().split(':'));
  const marks = first.filter(
    (part) => part.includes('=') && !planned.has(nameOf(part)) && others.every((parts) => parts.includes(part)),
  );
  return [select, ...marks].join(':');
}
