import { Expander } from '../../core/workflow-file/expand/expand.ts';
import { Tables } from '../../core/workflow-file/expand/tables.ts';
import type { JobSpec } from '../../core/workflow-file/shape/workflow.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import type { Row } from './align.ts';
import { parameterColumns, type ParameterColumns } from './columns.ts';
import { familiesAmong, type FoundFamily, type Member } from './families.ts';
import { instanceTest, shapeOfJob } from './template.ts';

/** Where a job comes from: its rule, and the values of the wildcards of the rule. */
export interface JobOrigin {
  readonly rule: string;
  readonly wildcards: Row;
}

/**
 * The workflow with one entry for many jobs: the jobs of a rule that differ by the values of its wildcards become an entry with
 * parameters. Expanded, it has the same jobs, each as it was; jobs for which this does not hold stay as they are.
 *
 * Jobs of one rule may come in another order. Parameters whose values several entries have stand at the top.
 */
export function foldFamilies(workflow: ValueMap, originOf: (job: ValueMap) => JobOrigin | undefined): ValueMap {
  const jobs = workflow['jobs'] as readonly ValueMap[];
  const nameFor = freeNames(JSON.stringify(workflow));
  const groups = new Map<string, Member[]>();
  for (const job of jobs) {
    const origin = originOf(job);
    if (origin === undefined) continue;
    const row = new Map([...origin.wildcards].map(([name, value]) => [nameFor(name), value]));
    const key = `${origin.rule}\n${shapeOfJob(job)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [{ job, row }]);
    else group.push({ job, row });
  }
  const nameBeside = (row: Row | undefined) => (wanted: string) => {
    let free = wanted;
    while (row?.has(nameFor(free)) === true) free += '_value';
    return nameFor(free);
  };
  const folded = [...groups.values()].flatMap((group) =>
    familiesAmong(group, nameBeside(group[0]?.row))
      .map((family) => ({
        ...family,
        columns: parameterColumns(
          family.members.map(({ row }) => row),
          family.names,
        ),
      }))
      .filter(makesItsJobs),
  );
  if (folded.length === 0) return workflow;
  const shared = sharedParameters(folded.map(({ columns }) => columns));
  const entries = new Map(folded.map((family) => [family.members[0]?.job, entryOf(family, shared)]));
  const gone = new Set(folded.flatMap(({ members }) => members.map(({ job }) => job)));
  const { name = '', ...others } = workflow;
  return {
    name,
    ...(shared.size === 0 ? {} : { parameters: Object.fromEntries(shared) }),
    ...others,
    jobs: jobs.flatMap((job) => entries.get(job) ?? (gone.has(job) ? [] : [job])),
  };
}

type FoldedFamily = FoundFamily & { readonly columns: ParameterColumns };

/**
 * Names of parameters that stand in no text of the workflow in braces, where a shell or a program means something else by them. Each wanted
 * name gets one of its own.
 */
function freeNames(text: string): (name: string) => string {
  const taken = new Set([...text.matchAll(/\{([A-Za-z_]\w*)/g)].map(([, name]) => name));
  const names = new Map<string, string>();
  return (wanted) => {
    const known = names.get(wanted);
    if (known !== undefined) return known;
    let name = /^\d/.test(wanted) ? `wildcard_${wanted}` : wanted;
    while (taken.has(name)) name += '_value';
    names.set(wanted, name);
    taken.add(name);
    return name;
  };
}

/** What a reader of workflow files makes of the entry is compared with the jobs. */
function makesItsJobs(family: FoldedFamily): boolean {
  const { template, members } = family;
  const refuse = () => {
    isRefused = true;
  };
  let isRefused = false;
  const readFile = () => '';
  const expander = new Expander(
    { name: '', jobs: [] },
    { readFile, tables: new Tables(readFile, refuse), groups: [], limit: members.length },
    refuse,
  );
  const [made] = expander.families('jobs', [entryOf(family, new Map()) as unknown as JobSpec]).all;
  if (isRefused || made?.axes === undefined || made.count !== members.length) return false;
  const isInstance = instanceTest(template, made.axes);
  return members.every(({ job }, at) => isInstance(job, at));
}

/** Of each parameter the values that most entries have, if an entry needs no others. */
function sharedParameters(all: readonly ParameterColumns[]): ReadonlyMap<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const { parameters } of all)
    for (const [name, text] of Object.entries(parameters)) {
      const texts = counts.get(name) ?? new Map<string, number>();
      counts.set(name, texts.set(text, (texts.get(text) ?? 0) + 1));
    }
  const most = new Map(
    [...counts].map(([name, texts]) => [name, [...texts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? '']),
  );
  const used = new Set(all.filter((each) => hasOnly(each, most)).flatMap(({ parameters }) => Object.keys(parameters)));
  return new Map([...most].filter(([name]) => used.has(name)));
}

const hasOnly = ({ parameters }: ParameterColumns, shared: ReadonlyMap<string, string>): boolean =>
  Object.entries(parameters).every(([name, text]) => shared.get(name) === text);

function entryOf({ template, columns }: FoldedFamily, shared: ReadonlyMap<string, string>): ValueMap {
  const { name = '', ...others } = template;
  const { parameters, isZip } = columns;
  return {
    name,
    ...(hasOnly(columns, shared) ? { use_parameters: Object.keys(parameters) } : { parameters }),
    ...(isZip ? { parameter_mode: 'zip' } : {}),
    ...others,
  };
}
