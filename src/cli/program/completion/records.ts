import { type Client, createClient } from '../../../client/client.ts';
import { after } from '../../../client/long-timers.ts';
import { connect, type ServiceAddress } from '../../../client/node/connect.ts';
import { certificatesIn } from '../../../client/node/certificates.ts';
import { readConfiguration } from '../../config/read.ts';
import { type Settings, settingsOf } from '../../command/settings.ts';
import type { CompletedKind } from '../../command/kinds.ts';
import type { Candidate, Wanted } from './wanted.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A person waits for the shell: what a server says later is not shown. */
const PATIENCE_MS = 1_000;
/** Candidates that are asked for: more are not read, and each letter that is typed makes them fewer. */
const MOST = 200;

/** Ids and names of records that begin with what is typed, as far as a server replies soon. */
export async function recordsFor(wanted: Wanted, environment: Environment): Promise<readonly Candidate[]> {
  const address = await addressFor(await settingsFor(wanted.given, environment));
  if (address === undefined) return [];
  const connection = connect(address);
  try {
    const late = new Promise<[]>((resolve) => void after(PATIENCE_MS, () => resolve([])).unref());
    return await Promise.race([recordsOf(createClient(connection.send), wanted, address.username ?? ''), late]);
  } finally {
    connection.close();
  }
}

/** What the options before the cursor, the environment and the configuration say of the server. */
async function settingsFor(given: ReadonlyMap<string, string>, environment: Environment): Promise<Settings> {
  const { configuration } = await readConfiguration(environment, process.cwd());
  return settingsOf(
    {
      url: given.get('url'),
      password: given.get('password'),
      cookieHeader: given.get('cookie-header'),
      tlsCaCert: given.get('tls-ca-cert'),
      tlsInsecure: given.has('tls-insecure') || undefined,
      standalone: given.has('standalone'),
      db: given.get('db'),
    },
    environment,
    configuration,
  );
}

/** Where the server is: of `-s` the one that another command runs, since none is started for a completion. */
async function addressFor(settings: Settings): Promise<ServiceAddress | undefined> {
  const { user, password, cookie, standalone, database } = settings;
  if (!standalone) {
    const { url, tlsCaCert, tlsInsecure } = settings;
    const certificates = certificatesIn(tlsCaCert, () => {});
    return { url, username: user, password, cookie, certificates, insecure: tlsInsecure };
  }
  const { readAddress } = await import('../../../server/attach/address.ts');
  const beside = readAddress(database);
  if (beside.kind !== 'address') return undefined;
  const { attachTo } = await import('../../standalone/attach-to.ts');
  if ((await attachTo(beside.address)) === undefined) return undefined;
  return { url: beside.address.url, username: user, password: beside.address.credential };
}

interface Listed {
  readonly id?: number | null | undefined;
  readonly name: string;
}

async function recordsOf(client: Client, wanted: Wanted, user: string): Promise<readonly Candidate[]> {
  const { records, typed, given } = wanted;
  if (records === undefined) return [];
  // Digits are the begin of an id; a server finds names by what they contain.
  const name = /^\d*$/.test(typed) ? undefined : typed;
  if (records === 'workflow') {
    // Of workflows it finds whole names only.
    const { items } = await client.listWorkflows({
      query: { user, is_archived: false, limit: MOST, sort_by: 'id', reverse_sort: true },
    });
    const ids = items.map((each) => ({ value: String(each.id), says: each.name }));
    return [...ids, ...namesIn(items, 'workflow')];
  }
  if (records === 'access-group') {
    // Only administrators may list groups that they do not belong to.
    const { items } = await client
      .listAccessGroups({ query: { limit: MOST } })
      .catch(() => client.listUserGroups({ params: { user_name: user }, query: { limit: MOST } }));
    return [...items.map((each) => ({ value: String(each.id), says: each.name })), ...namesIn(items, 'access group')];
  }
  const workflowId = await workflowFor(client, given.get('workflow-id'), user);
  if (workflowId === undefined) return [];
  const items = await listOf[records](client, {
    workflow_id: workflowId,
    limit: MOST,
    ...(name === undefined ? {} : { name }),
  });
  // Names say more than ids; who types a digit wants the ids.
  if (typed !== '' && name === undefined) return items.map((each) => ({ value: String(each.id), says: each.name }));
  return namesIn(items, `${records} of workflow ${workflowId}`);
}

type Page = { readonly workflow_id: number; readonly limit: number; readonly name?: string };

const listOf: Readonly<
  Record<
    Exclude<CompletedKind, 'workflow' | 'access-group'>,
    (client: Client, query: Page) => Promise<readonly Listed[]>
  >
> = {
  job: async (client, query) => (await client.listJobs({ query })).items,
  file: async (client, query) => (await client.listFiles({ query })).items,
  'user-data': async (client, query) => (await client.listUserData({ query })).items,
  requirements: async (client, query) => (await client.listResourceRequirements({ query })).items,
  'slurm-scheduler': async (client, { workflow_id, limit }) =>
    (await client.listSlurmSchedulers({ query: { workflow_id, limit } })).items.flatMap(({ id, name }) =>
      typeof name === 'string' ? [{ id, name }] : [],
    ),
  'failure-handler': async (client, { workflow_id: id, limit }) =>
    (await client.listFailureHandlers({ params: { id }, query: { limit } })).items,
};

/** The workflow that is named, or the newest of this user. */
async function workflowFor(client: Client, given: string | undefined, user: string): Promise<number | undefined> {
  if (given !== undefined && /^\d+$/.test(given)) return Number(given);
  const { items } = await client.listWorkflows({
    query: { user, is_archived: false, limit: 1, name: given, sort_by: 'id', reverse_sort: true },
  });
  return items[0]?.id ?? undefined;
}

/** Names that stand for one record, and that a command does not take for an id. */
function namesIn(items: readonly Listed[], thing: string): Candidate[] {
  const counts = new Map<string, number>();
  for (const { name } of items) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .filter(([name, count]) => count === 1 && !/^\d+$/.test(name))
    .map(([value]) => ({ value, says: thing }));
}
