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
 * `nodes={nodes}:ppn={cpus}` and `mem={memory}` where chunks are refused, `ncpus={cpus}` where CPUs are all that counts.
 */
export function pbsRequest(planned: PlannedRequest, { resources = CHUNKS, options }: SiteForms): SchedulerRequest {
  const { name, account, mem, nodes, walltime, partition, gres, extra, on, pbs } = planned;
  const { cpus = on.cpus_per_node, rest: kept } = plannedCpusIn(extra);
  const gpus = parseGres(gres ?? '')?.count ?? 0;
  const numbers: Readonly<Record<string, string | number>> = { nodes, cpus, memory: `${mem}b`, gpus };
  const asked = resources.flatMap((form) => {
    const parts = form.split(':').filter((part) => gpus > 0 || !part.includes('{gpus}'));
    const text = parts.join(':').replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(numbers[name] ?? whole));
    return text === '' ? [] : [text];
  });
  const valueOf = (name: string) => asked.find((text) => text.startsWith(`${name}=`))?.slice(name.length + 1);
  const place = valueOf('place') ?? pbs?.place;
  const others = asked.filter((text) => !/^(?:select|place)=/.test(text));
  // Those of the allocation before are asked for anew.
  const names = new Set(others.map((text) => text.split('=')[0]));
  const own = kept.replaceAll(/(?<!\S)-l\s*(\w+)=\S+/g, (whole, name: string) => (names.has(name) ? '' : whole)).trim();
  const more = withSiteOptions(own === '' ? undefined : own, options);
  const words = [...(more === undefined ? [] : [more]), ...others.map((text) => `-l ${text}`)].join(' ');
  return {
    name,
    account,
    nodes,
    walltime,
    partition,
    extra: words === '' ? undefined : words,
    pbs: { project: pbs?.project, select: valueOf('select'), place },
  };
}
