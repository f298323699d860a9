import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { counted, someOf } from '../../core/quantity/count-text.ts';
import { isSecretName } from '../../core/text/without-secrets.ts';
import { type CrateNode, referredTo } from './node.ts';
import { personOf } from './person.ts';
import { runCrate, type CrateSaid } from './run-crate.ts';

export interface CrateExport extends Pick<CrateSaid, 'license' | 'description'> {
  /** Names, with ORCID iDs behind them. */
  readonly authors: readonly string[];
  /** Where the document will stand, an absolute path. */
  readonly folder: string;
}

/** Jobs in a request: with their relationships each costs the server six queries. */
const JOBS_A_CALL = 2000;

/** The research object of a workflow from its records, the number of its stored entities, and what it lacks to conform to its profile. */
export async function exportCrate(
  client: Client,
  id: number,
  { authors, folder, ...said }: CrateExport,
): Promise<{ readonly document: object; readonly entities: number; readonly lacks: readonly string[] }> {
  const persons = authors.map(personOf);
  const [params, query] = [{ id }, { workflow_id: id }];
  const workflow = await client.getWorkflow({ params });
  const records = {
    workflow,
    entities: await all((page) => client.listRoCrateEntities({ params, query: page })),
    files: await all((page) => client.listFiles({ query: { ...query, ...page } })),
    userData: await all((page) => client.listUserData({ query: { ...query, ...page } })),
    results: await all((page) => client.listResults({ query: { ...query, all_runs: true, ...page } })),
    jobs: await all(({ offset, limit }) =>
      client.listJobs({
        query: { ...query, include_relationships: true, offset, limit: Math.min(limit, JOBS_A_CALL) },
      }),
    ),
  };
  const workflowFile = placeOf(workflow, folder);
  const document = runCrate(records, { ...said, authors: persons, workflowFile });
  const graph = (document as { '@graph': CrateNode[] })['@graph'];
  const root = graph.find((node) => node['@id'] === './');
  const elsewhere = partsOf(root).filter((path) => isElsewhere(path, folder));
  const { spec_file: file } = workflow;
  const variables = [workflow.env, ...records.jobs.map(({ env }) => env)].flatMap((env) => Object.keys(env ?? {}));
  const hidden = [...new Set([...variables, ...records.userData.map(({ name }) => name)])].filter(isSecretName);
  const lacks = [
    ...(root?.['license'] === undefined
      ? ['It has no licence, which its profile asks for: --license URL says one']
      : []),
    ...(records.results.length === 0 ? ['No job has run: it describes no run'] : []),
    ...(elsewhere.length === 0
      ? []
      : [
          `${folder} lacks ${counted(elsewhere.length, 'file')} (${someOf(elsewhere)}): the document belongs into the folder of the run`,
        ]),
    ...(hidden.length === 0
      ? []
      : [`${workflowFile} may hold secrets (${someOf(hidden)}): here their values are ***, there they are not`]),
    ...(file && !existsSync(file)
      ? [`The workflow file ${file} is not on this machine: put it beside the document`]
      : []),
  ];
  return { document, entities: records.entities.length, lacks };
}

/** Files that are looked for: a crate with more is known by these. */
const MOST_LOOKED_FOR = 1000;

const partsOf = (root: CrateNode | undefined): string[] => referredTo(root?.['hasPart']).slice(0, MOST_LOOKED_FOR);

/** A file that is in the folder of this command, and not where the document says. */
const isElsewhere = (path: string, folder: string): boolean =>
  !/^\w+:/.test(path) && !existsSync(resolve(folder, path)) && existsSync(path);

/** The name of the workflow file in the document: a path within its folder, or an address outside of it. */
function placeOf({ spec_file: file, name }: Workflow, folder: string): string {
  if (!file) return `${name.replaceAll(/[^\w.-]+/g, '-')}.yaml`;
  const path = relative(folder, file).replaceAll('\\', '/');
  return path.startsWith('../') ? pathToFileURL(file).href : path;
}
