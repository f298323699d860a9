import type { UserData } from '../../core/contract/artifact.ts';
import type { Job } from '../../core/contract/job.ts';
import type { Result } from '../../core/contract/result.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { VERSION } from '../../core/contract/version.ts';
import { counted } from '../../core/quantity/count-text.ts';
import { exitCodesOf } from '../../core/attempt/judge.ts';
import { softwareId } from '../../runner/attempt/crate/entities.ts';
import {
  attemptAction,
  COMPLETED_STATUS,
  FAILED_STATUS,
  parameterId,
  parameterNodes,
  surroundingNodes,
  TERMS,
  hasValue,
} from './actions.ts';
import { crateDocument, type CrateRecords } from './document.ts';
import { at, type CrateNode, isOfType, oneOrList, referredTo } from './node.ts';
import type { Person } from './person.ts';

/**
 * The research object of a workflow as a Workflow Run Crate: what was run, by whom, with which parameters, when it began and ended,
 * and how. All of it is made of records when the document is written; stored entities keep their names, types and properties.
 *
 * Source: Workflow Run RO-Crate 0.5 (Process Run Crate, Workflow Run Crate), Workflow RO-Crate 1.0.
 */
export interface RunRecords extends CrateRecords {
  readonly workflow: Workflow;
  /** With the files and values that they read and write. */
  readonly jobs: readonly Job[];
  /** Of all runs. */
  readonly results: readonly Result[];
  readonly userData: readonly UserData[];
}

/** What only the person who shares it can say. */
export interface CrateSaid {
  readonly authors: readonly Person[];
  readonly license?: string | undefined;
  readonly description?: string | undefined;
  /** The path of the workflow file from the folder of the document. */
  readonly workflowFile: string;
}

const PROFILES = [
  ['https://w3id.org/ro/wfrun/process/0.5', 'Process Run Crate', '0.5'],
  ['https://w3id.org/ro/wfrun/workflow/0.5', 'Workflow Run Crate', '0.5'],
  ['https://w3id.org/workflowhub/workflow-ro-crate/1.0', 'Workflow RO-Crate', '1.0'],
] as const;

const OWN_TERMS = {
  ContainerImage: `${TERMS}ContainerImage`,
  containerImage: `${TERMS}containerImage`,
  registry: `${TERMS}registry`,
  tag: `${TERMS}tag`,
  exitCode: 'torc:exitCode',
};

const LANGUAGE = '#torc-workflow-file';
const ROOT = './';
const DESCRIPTOR = 'ro-crate-metadata.json';

export function runCrate(records: RunRecords, sharing: CrateSaid): object {
  const { workflow, jobs } = records;
  const userData = records.userData.filter(hasValue);
  const withValue = new Set(userData.map(({ id }) => id));
  const { '@context': context, '@graph': stored } = crateDocument(records) as {
    '@context': [string, object];
    '@graph': CrateNode[];
  };
  const graph = new Map(stored.map((node) => [node['@id'] as string, withoutLocalUrl(node)]));
  /** Adds a node; properties that are there win. */
  const add = (node: CrateNode) => {
    const id = node['@id'] as string;
    graph.set(id, { ...node, ...graph.get(id) });
    return id;
  };

  const authors = sharing.authors.map((person) => add(personNode(person)));
  const [only] = authors;
  const agent = authors.length === 1 && only !== undefined ? only : add(personNode({ name: workflow.user }));
  const results = latestOf(records.results);
  const usedFiles = addFiles(records, results, graph, add);
  add({ '@id': LANGUAGE, '@type': 'ComputerLanguage', name: 'Torc workflow file', version: VERSION });
  for (const node of parameterNodes(userData)) add(node);
  const main = addMain(workflow, sharing, userData, graph);

  const ofJob = new Map(jobs.map((job) => [job.id as number, job]));
  const actions = results.flatMap((result) => {
    const job = ofJob.get(result.job_id);
    if (job === undefined) return [];
    for (const node of surroundingNodes(job.invocation_script)) add(node);
    const id = `#job-${result.job_id}-attempt-${result.attempt_id ?? 1}`;
    const action = attemptAction(job, result, graph.get(id), {
      instrument: instrumentOf(result.run_id, graph, add),
      agent,
      codes: exitCodesOf(workflow.execution_config),
      variables: workflow.env ?? {},
      hasValue: (id) => withValue.has(id),
      fileIds: usedFiles,
    });
    graph.set(id, action);
    return [action];
  });
  const run = actions.length === 0 ? undefined : add(runNode(workflow, main, agent, actions, graph));

  for (const [id, node] of graph)
    if (isOfType(node, 'CreateAction') && node['agent'] === undefined) graph.set(id, { ...node, agent: at(agent) });
  for (const [id, name, version] of PROFILES) add({ '@id': id, '@type': 'CreativeWork', name, version });
  const before = graph.get(ROOT) as CrateNode;
  const parts = new Set([main, ...referredTo(before['hasPart']), ...[...graph.values()].filter(isPart).map(idOf)]);
  const mentioned = new Set([
    ...(run === undefined ? [] : [run]),
    ...referredTo(before['mentions']),
    ...actions.map(idOf),
  ]);
  graph.set(ROOT, {
    description: sharing.description ?? `What torc ran of the workflow ${workflow.name}`,
    ...(sharing.license === undefined ? {} : { license: licenseOf(sharing.license, add) }),
    ...(authors.length === 0 ? {} : { author: oneOrList(authors.map(at)) }),
    ...before,
    ...(sharing.description === undefined ? {} : { description: sharing.description }),
    conformsTo: PROFILES.map(([id]) => at(id)),
    mainEntity: at(main),
    hasPart: [...parts].map(at),
    mentions: [...mentioned].map(at),
  });
  const descriptor = graph.get(DESCRIPTOR) as CrateNode;
  const conforms = [...new Set([...referredTo(descriptor['conformsTo']), PROFILES[2][0]])];
  graph.set(DESCRIPTOR, { ...descriptor, conformsTo: conforms.map(at) });
  return { '@context': [context[0], { ...context[1], ...OWN_TERMS }], '@graph': [...graph.values()] };
}

/** The path of a program is no address, and has the name of its user in it. */
function withoutLocalUrl(node: CrateNode): CrateNode {
  const { url, ...rest } = node;
  const isPath = typeof url === 'string' && url.startsWith('/');
  return isPath && isOfType(node, 'SoftwareApplication') ? rest : node;
}

const idOf = (node: CrateNode) => node['@id'] as string;
/** A file that is deleted is described, and is no part. */
const isPart = (node: CrateNode) =>
  (isOfType(node, 'File') || isOfType(node, 'Dataset')) &&
  idOf(node) !== ROOT &&
  node['creativeWorkStatus'] !== 'Deleted';

const personNode = ({ name, orcid }: Person): CrateNode => ({
  '@id': orcid ?? `#person-${encodeURIComponent(name)}`,
  '@type': 'Person',
  name,
});

/** A license by its address is a node of its own, as RO-Crate has it; any other is a text. */
function licenseOf(license: string, add: (node: CrateNode) => string) {
  if (!/^https?:\/\//.test(license)) return license;
  return at(add({ '@id': license, '@type': 'CreativeWork', name: license }));
}

/** The attempts of the last run of each job: numbers of attempts begin again with each run, and so do their names. */
function latestOf(results: readonly Result[]): Result[] {
  const last = new Map<number, number>();
  for (const { job_id: job, run_id: run } of results) last.set(job, Math.max(run, last.get(job) ?? 0));
  return results.filter(({ job_id: job, run_id: run }) => last.get(job) === run);
}

const FORMATS: Readonly<Record<string, string>> = {
  yaml: 'application/yaml',
  yml: 'application/yaml',
  json: 'application/json',
};

/** The workflow file as the main entity, with the parameters of the workflow. */
function addMain(
  workflow: Workflow,
  { workflowFile }: CrateSaid,
  userData: readonly UserData[],
  graph: Map<string, CrateNode>,
): string {
  const known = graph.get(workflowFile);
  const input = userData.map(({ id }) => at(parameterId(id as number)));
  graph.set(workflowFile, {
    name: workflow.name,
    ...(workflow.description ? { description: workflow.description } : {}),
    ...known,
    '@id': workflowFile,
    '@type': ['File', 'SoftwareSourceCode', 'ComputationalWorkflow'],
    programmingLanguage: at(LANGUAGE),
    encodingFormat: FORMATS[/[^.]*$/.exec(workflowFile)?.[0] ?? ''] ?? 'text/plain',
    conformsTo: at('https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE'),
    ...(input.length === 0 ? {} : { input: oneOrList(input) }),
  });
  return workflowFile;
}

/** Describes the files that attempts read or wrote, as far as they are not; returns a function from records to their names. */
function addFiles(
  { files, entities, jobs }: RunRecords,
  results: readonly Result[],
  graph: ReadonlyMap<string, CrateNode>,
  add: (node: CrateNode) => string,
) {
  const named = new Map(entities.flatMap(({ file_id: id, entity_id: name }) => (id ? [[id, name] as const] : [])));
  const nameOf = new Map(files.map(({ id, path }) => [id as number, named.get(id as number) ?? path]));
  const ran = new Map(results.map((result) => [result.job_id, result.status === 'completed']));
  for (const job of jobs) {
    const isDone = ran.get(job.id as number);
    if (isDone === undefined) continue;
    for (const id of [...(job.input_file_ids ?? []), ...(isDone ? (job.output_file_ids ?? []) : [])]) {
      const name = nameOf.get(id);
      if (name !== undefined && !graph.has(name))
        add({ '@id': name, '@type': 'File', name: name.replace(/^.*\//, '') });
    }
  }
  return (ids: readonly number[] | null | undefined) => (ids ?? []).flatMap((id) => nameOf.get(id) ?? []);
}

/** The program that ran the jobs of a run: the stored one, or this. */
function instrumentOf(runId: number, graph: ReadonlyMap<string, CrateNode>, add: (node: CrateNode) => string): string {
  const id = softwareId(runId);
  return graph.has(id) ? id : add({ '@id': id, '@type': 'SoftwareApplication', name: 'torc', version: VERSION });
}

/** The run as an action whose instrument is the workflow: what it read from outside, and what it left. */
function runNode(
  workflow: Workflow,
  main: string,
  agent: string,
  actions: readonly CrateNode[],
  graph: ReadonlyMap<string, CrateNode>,
): CrateNode {
  const texts = (property: string) =>
    actions.map((action) => action[property]).filter((value) => typeof value === 'string');
  const of = (property: string) => new Set(actions.flatMap((action) => referredTo(action[property])));
  const [read, made] = [of('object'), of('result')];
  // By job the last attempt decides: names end in its number.
  const last = new Map(actions.map((action) => [idOf(action).replace(/-attempt-\d+$/, ''), action]));
  const failed = [...last.values()].filter((action) => action['error'] !== undefined);
  const isThere = (id: string) => graph.get(id)?.['creativeWorkStatus'] !== 'Deleted';
  return {
    '@id': `#workflow-run-${workflow.run_id ?? 1}`,
    '@type': 'CreateAction',
    name: `Run ${workflow.run_id ?? 1} of ${workflow.name}`,
    description: `${counted(last.size, 'job')} in ${counted(actions.length, 'attempt')}`,
    instrument: at(main),
    agent: at(agent),
    startTime: texts('startTime').reduce((one, other) => (one < other ? one : other)),
    endTime: texts('endTime').reduce((one, other) => (one > other ? one : other)),
    actionStatus: failed.length === 0 ? COMPLETED_STATUS : FAILED_STATUS,
    ...(failed.length === 0 ? {} : { error: `${failed.length} of ${last.size} jobs did not complete` }),
    object: oneOrList([...read].filter((id) => !made.has(id)).map(at)),
    result: oneOrList([...made].filter(isThere).map(at)),
  };
}
