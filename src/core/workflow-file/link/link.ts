import { patternText } from '../../text/pattern-text.ts';
import type { Draft, Links, DraftRecords } from './draft.ts';
import { shiftedTemplate } from '../expand/shift.ts';
import { templateOf } from '../expand/template.ts';
import { cycleText } from '../graph/cycle-text.ts';
import { type Dependencies, explicitGraph, graphOf, type RecordFlow, type Graph } from '../graph/graph.ts';
import { walk, type Walk } from '../graph/walk.ts';
import type { Lists } from '../../lists/int-list.ts';
import type { Selections, ReportCompared } from '../pattern/selection.ts';
import type { Complain, ValuePath } from '../problems/problems.ts';
import type { JobSpec } from '../shape/workflow.ts';
import type { PathKey } from './path-key.ts';
import { FilePaths } from './file-paths.ts';
import { joinEntries } from './join-entries.ts';
import { Linker, type Targets } from './references.ts';
import { dependencies, inputFiles, inputUserData, outputFiles, outputUserData } from './relations.ts';

/** The records that jobs name, the dependencies that follow, and the order of the named dependencies. */
export interface Linked {
  /** A job that writes a file has each of its entries as an output. */
  readonly links: Links;
  readonly paths: FilePaths;
  readonly graph: Graph;
  readonly explicit: Walk;
}

interface LinkOptions {
  /** The maximum number of dependencies. */
  readonly maxEdges: number;
  readonly keyOf: PathKey;
  readonly reportCompared?: ReportCompared | undefined;
}

/** Resolves every name and pattern of every job, and reports unknown names and circles. */
export function linkDraft(draft: Draft, { maxEdges, keyOf, reportCompared }: LinkOptions, complain: Complain): Linked {
  const { jobs, files, userData } = draft;
  const linker = new Linker(jobs.families, maxEdges, complain);
  const toJobs: Targets = { ...targetsOf(jobs), adviceFor: (name) => jobAdvice(name, draft) };
  const paths = new FilePaths(files, keyOf);
  const ofFiles = { ...targetsOf(files), findPath: (path: string) => paths.find(path) };
  const filesFor = (field: 'inputs' | 'outputs'): Targets => ({
    ...ofFiles,
    adviceFor: (name) => fileAdvice(name, draft, keyOf, field),
  });
  const [toInputs, toOutputs] = [filesFor('inputs'), filesFor('outputs')];
  const toUserData: Targets = {
    ...targetsOf(userData),
    canStandFor: (index) => (userData.families.familyOf(index).spec.data ?? null) !== null,
  };
  linker.announce(dependencies, toJobs);
  linker.announce(inputFiles, toInputs);
  linker.announce(outputFiles, toOutputs);
  for (const relation of [inputUserData, outputUserData]) linker.announce(relation, toUserData);
  for (const { selections } of [toJobs, toInputs, toUserData]) {
    selections.select(reportCompared);
    if (selections.isTooMany) tooManyPatterns(complain);
  }
  const written: Links = {
    dependsOn: linker.link(dependencies, toJobs),
    inputFiles: linker.link(inputFiles, toInputs),
    outputFiles: linker.link(outputFiles, toOutputs),
    inputUserData: linker.link(inputUserData, toUserData),
    outputUserData: linker.link(outputUserData, toUserData),
  };
  checkEdges(written.dependsOn, jobs, maxEdges, complain);
  return { paths, ...checkCycles(draft, written, paths, complain) };
}

const targetsOf = <S>(records: DraftRecords<S>): Targets => ({
  names: records,
  selections: records.selections,
  lost: records.lost,
  canStandFor: () => true,
});

function tooManyPatterns(complain: Complain): void {
  complain({
    code: 'PATTERNS_TOO_MANY',
    message:
      'The regexes of this workflow are too many to be compared with all its names. Begin each with ^ and as many ' +
      'plain letters as the names have in common',
  });
}

function checkEdges(
  { items }: Lists,
  { length, selections }: DraftRecords<unknown>,
  max: number,
  complain: Complain,
): void {
  let edges = 0;
  for (const item of items) edges += item < length ? 1 : selections.membersOf(item - length).length;
  if (edges <= max) return;
  complain({
    code: 'EDGES_TOO_MANY',
    message:
      `The workflow has ${edges} dependencies between jobs, more than the limit of ${max}. ` +
      'Put a barrier job between the stages: N + M dependencies instead of N × M',
    found: String(edges),
    allowed: [`at most ${max}`],
  });
}

function checkCycles(draft: Draft, written: Links, paths: FilePaths, complain: Complain): Omit<Linked, 'paths'> {
  const { jobs } = draft;
  const named = { lists: written.dependsOn, selections: membersOf(jobs.selections) };
  const explicitOnly = explicitGraph(jobs.length, named);
  const explicit = walk(explicitOnly);
  for (const cycle of explicit.cycles) {
    const names = cycle.slice(0, MOST_NAMES).map((job) => `'${jobs.nameAt(job)}'`);
    const more = cycle.length > MOST_NAMES ? ', …' : '';
    const text = cycleText(cycle, jobs.nameAt);
    complain({
      code: 'CYCLE',
      message: `Circular dependency detected involving jobs: ${names.join(', ')}${more} (${text})`,
      plain: `Circular dependency detected: ${text}`,
      creation: CREATION,
      path: dependencyPath(jobs, cycle[0] ?? 0, cycle[1] ?? cycle[0] ?? 0),
      found: text,
    });
  }
  const impliedBy = (links: Links) => {
    const graph = impliedGraph(draft, named, links) ?? explicitOnly;
    // With a circle among named dependencies, the circles of implied ones cannot be determined.
    const cycles = explicit.cycles.length > 0 ? [] : walk(graph).cycles;
    // A job that reads and writes the same file does not wait for itself.
    return { links, graph, cycles: cycles.filter(({ length }) => length > 1) };
  };
  const { links, graph, cycles } = joinEntries(draft, { written, paths, impliedBy }, complain);
  for (const cycle of cycles) {
    const text = cycleText(cycle, jobs.nameAt);
    complain({
      code: 'CYCLE_IMPLICIT',
      message: `Jobs wait for each other through their files or user data, for ever: ${text}`,
      creation: CREATION,
      path: ['jobs', jobs.families.familyOf(cycle[0] ?? 0).at, 'name'],
      found: text,
    });
  }
  return { links, graph, explicit };
}

/** Undefined where neither files nor user data imply dependencies. */
function impliedGraph({ jobs, files, userData }: Draft, named: Dependencies, links: Links): Graph | undefined {
  const exchanges = [
    exchangeOf(files, links.inputFiles, links.outputFiles),
    exchangeOf(userData, links.inputUserData, links.outputUserData),
  ].filter(({ inputs, outputs }) => inputs.items.length > 0 && outputs.items.length > 0);
  return exchanges.length === 0 ? undefined : graphOf(jobs.length, named, exchanges);
}

const MOST_NAMES = 20;
/** As Torc says it, without the circle: that stands in the line with its place. */
const CREATION = 'Circular dependency detected in job graph';

/** The place where a job names one of its dependencies: the name, or the pattern that selects it. */
function dependencyPath(
  { families, selections, nameAt }: DraftRecords<JobSpec>,
  job: number,
  other: number,
): ValuePath {
  const { family, combination } = families.at(job);
  const { spec, at, axes } = family;
  const name = nameAt(other);
  const named = (spec.depends_on ?? []).findIndex((text) => shiftedTemplate(text, axes).render(combination) === name);
  if (named >= 0) return ['jobs', at, 'depends_on', named];
  const selecting = (spec.depends_on_regexes ?? []).findIndex((text) => {
    const number = selections.numberOf(templateOf(text, axes).render(combination));
    return typeof number === 'number' && selections.membersOf(number).includes(other);
  });
  return ['jobs', at, 'depends_on_regexes', Math.max(selecting, 0)];
}

const exchangeOf = <S>({ length, selections }: DraftRecords<S>, inputs: Lists, outputs: Lists): RecordFlow => ({
  records: length,
  inputs,
  outputs,
  selections: membersOf(selections),
});

const membersOf = (selections: Selections): Int32Array[] =>
  Array.from({ length: selections.count }, (_, number) => selections.membersOf(number));

/** A job is named as the entry of the file that makes many: `train` where there are `train_1`, `train_2`. */
function jobAdvice(name: string, { jobs }: Draft): string | undefined {
  const family = jobs.families.all.find(({ spec, axes, count }) => {
    const [head = ''] = spec.name.split('{');
    return (
      axes !== undefined && count > 0 && (spec.name === name || (head !== '' && head.replace(/[_.-]+$/, '') === name))
    );
  });
  if (family === undefined) return undefined;
  const [head = ''] = family.spec.name.split('{');
  const pattern = `^${patternText(head)}`;
  return (
    `the entry '${family.spec.name}' makes ${family.count} ${family.count === 1 ? 'job' : 'jobs'}, such as ` +
    `'${family.name.render(0)}'; to depend on all of them write depends_on_regexes: ['${pattern}']`
  );
}

/** A file is named by its path, as in other tools. */
function fileAdvice(name: string, { files }: Draft, keyOf: PathKey, field: 'inputs' | 'outputs'): string | undefined {
  const key = keyOf(name);
  const byPath = files.families.all.find(({ spec }) => keyOf(spec.path) === key);
  if (byPath !== undefined)
    return `this is a path; write the name of the file, '${byPath.spec.name}', or the path in ${field}`;
  return /[/.]/.test(name)
    ? `name an entry of \`files\`, not a path; add the entry { name: NAME, path: '${name}' } and write NAME here, or write the path in ${field}`
    : undefined;
}
