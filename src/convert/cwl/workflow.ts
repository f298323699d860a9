import { needsOf, type Needs, type Process, processAt, type ReadDocument } from './document.ts';
import { withDefaults, located } from './inputs.ts';
import { resolve } from './references.ts';
import { gathered, scattered, type Shaped } from './scatter.ts';
import { type Cwl, type CwlMap, entriesOf, isCwlList, isCwlMap, Later, Unsupported, nameIn } from './value.ts';

/** Runs a process with these inputs, as far as a converter does, and returns its outputs. Throws `Unsupported`. */
export type ProcessRun = (process: Process, inputs: CwlMap, needs: Needs, name: string) => CwlMap;

interface Around {
  readonly needs: Needs;
  /** Of the job that the workflow would be: the prefix of the names of its steps. */
  readonly name: string;
  readonly read: ReadDocument;
  readonly run: ProcessRun;
  /** A step that cannot be carried over; what follows goes on without its outputs. */
  readonly leaveOut: (step: string, why: string, path: string) => void;
}

/** The outputs of a workflow; each step is run once, when something reads its outputs, and those that nothing reads at the end. */
export function runCwlWorkflow(process: Process, inputs: CwlMap, around: Around): CwlMap {
  const steps = new Map(entriesOf(process.body['steps'], 'id', 'run'));
  const done = new Map<string, CwlMap | 'begun'>();
  const outputsOf = (name: string): CwlMap => {
    const known = done.get(name);
    if (known === 'begun') throw new Unsupported(`the step ${name} waits for itself`);
    if (known !== undefined) return known;
    done.set(name, 'begun');
    const outputs = stepOutputs(name, steps.get(name) as CwlMap);
    done.set(name, outputs);
    return outputs;
  };
  const valueOf = (source: string): Cwl => {
    const parts = source.replace(/^.*#/, '').split('/');
    const [step = '', output = ''] = parts.slice(-2);
    const [from, name] = parts.length > 1 && steps.has(step) ? [outputsOf(step), output] : [inputs, parts.at(-1) ?? ''];
    const value = from[name];
    if (value === undefined) throw new Unsupported(`the source ${source} is no input, and no output of a step`);
    return value;
  };

  function stepOutputs(name: string, step: CwlMap): CwlMap {
    const names = (isCwlList(step['out']) ? step['out'] : []).map((each) =>
      nameIn(isCwlMap(each) ? each['id'] : each).replace(/^.*[#/]/, ''),
    );
    const all = (value: Cwl): CwlMap => Object.fromEntries(names.map((each) => [each, value]));
    try {
      const inner = processAt(step['run'] ?? null, process, around.read);
      const needs = needsOf(step, needsOf(inner.body, around.needs));
      const linked = entriesOf(step['in'], 'id', 'source');
      const sources = Object.fromEntries(linked.map(([to, link]) => [to, linkedValue(link)]));
      const over = [step['scatter'] ?? []].flat().map((each) => nameIn(each).replace(/^.*[#/]/, ''));
      const runOne = (given: CwlMap, at: string): CwlMap => {
        const values = Object.fromEntries(
          linked.map(([to, { valueFrom }]) => {
            const self = given[to] ?? null;
            return [to, valueFrom === undefined ? self : resolve(valueFrom, { inputs: given, self })];
          }),
        );
        if (step['when'] !== undefined && resolve(step['when'], { inputs: values }) !== true) {
          const condition = resolve(step['when'], { inputs: values });
          if (condition !== false) throw new Unsupported('a condition that is known only in a run');
          return all(null);
        }
        return around.run(inner, withDefaults(inner, values), needs, around.name === '' ? at : `${around.name}_${at}`);
      };
      if (over.length === 0) return runOne(sources, name);
      let number = 0;
      const each = (shaped: Shaped<CwlMap>): Shaped<CwlMap> =>
        Array.isArray(shaped)
          ? (shaped as readonly Shaped<CwlMap>[]).map((one) => each(one))
          : runOne(shaped as CwlMap, `${name}_${(number += 1)}`);
      return gathered(each(scattered(sources, over, step['scatterMethod'])), names);
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      around.leaveOut(name, error.message, process.path);
      return all(new Later(`the step ${name} is left out`));
    }
  }

  function linkedValue({ source, default: usual, linkMerge, pickValue }: CwlMap): Cwl {
    const sources = isCwlList(source) ? source.map((each) => valueOf(nameIn(each))) : undefined;
    const one = source === undefined || source === null || sources !== undefined ? null : valueOf(nameIn(source));
    const value = sources === undefined ? one : merged(sources, linkMerge);
    const picked = pickValue === undefined ? value : pick(value, pickValue);
    return picked === null && usual !== undefined ? located(usual, process.path) : picked;
  }

  for (const name of steps.keys()) outputsOf(name);
  const outputs = entriesOf(process.body['outputs'], 'id', 'type').map(
    ([name, { outputSource: source, linkMerge, pickValue }]) =>
      [
        name,
        linkedValue({
          source: source ?? null,
          ...(linkMerge === undefined ? {} : { linkMerge }),
          ...(pickValue === undefined ? {} : { pickValue }),
        }),
      ] as const,
  );
  return Object.fromEntries(outputs);
}

/** Several sources of one input: a list of them, or of the items of those that are lists. One alone is itself. */
function merged(values: readonly Cwl[], linkMerge: Cwl | undefined): Cwl {
  if (linkMerge === 'merge_flattened') return values.flatMap((each) => (isCwlList(each) ? each : [each]));
  return values.length === 1 && linkMerge === undefined ? (values[0] ?? null) : values;
}

function pick(value: Cwl, how: Cwl): Cwl {
  const values = isCwlList(value) ? value : [value];
  if (values.some((each) => each instanceof Later)) return new Later('which value is chosen is known only in a run');
  const present = values.filter((each) => each !== null);
  if (how === 'all_non_null') return present;
  if (present.length === 0 || (how === 'the_only_non_null' && present.length > 1))
    throw new Unsupported(`${nameIn(how)} of ${present.length} values`);
  return present[0] as Cwl;
}
