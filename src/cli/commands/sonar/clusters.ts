import { randomBytes } from 'node:crypto';
import { formatTimestamp } from '../../../core/contract/sonar/timestamp.ts';
import type { ClusterSummary } from '../../../telemetry/store/telemetry-store.ts';
import { type Command, command } from '../../command/command.ts';
import { UsageError } from '../../command/failure.ts';
import { readInput } from '../../terminal/read-input.ts';
import { storeOption, withStore } from './store.ts';
import { option } from '../../command/option.ts';

const CLUSTER = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9_])?$/;

const add = command('sonar clusters add <name>', {
  says: 'Add a cluster, whose telemetry the store then accepts.',
  example: 'hpc.example.org',
  more: 'Nodes appear when they send data; clusters are added by a person.',
  options: [
    storeOption,
    option('--new-token', 'give it a new token, with which its nodes send data to a server; printed once'),
    option('--token-file <file>', 'give it the token in the first line of this file'),
  ],
  offline: true,
  async run({ output, configuration }, [name], options) {
    output.recordOnly('cluster');
    const token = tokenOf(options);
    if (!CLUSTER.test(name))
      throw new UsageError(`"${name}" is no name of a cluster: expected letters, digits, ".", "-" and "_"`);
    const isNew = await withStore(options.store, { umask: configuration['server.umask'] }, (store) =>
      store.addCluster(name, Math.floor(Date.now() / 1000), token),
    );
    const shown = options.newToken === true ? token : undefined;
    output.record(
      'cluster',
      { name, added: isNew, has_new_token: token !== undefined, ...(shown === undefined ? {} : { token: shown }) },
      [
        isNew ? `Added cluster ${name}` : `Cluster ${name} is there already`,
        ...(shown === undefined ? [] : [`Token: ${shown}`]),
      ].join('\n'),
    );
  },
});

/** A token on the command line would be seen by everybody on the machine. */
function tokenOf({ newToken, tokenFile }: { newToken?: boolean | undefined; tokenFile?: string | undefined }) {
  if (newToken === true && tokenFile !== undefined)
    throw new UsageError('--new-token and --token-file: expected one of them');
  if (newToken === true) return randomBytes(24).toString('base64url');
  if (tokenFile === undefined) return undefined;
  const [token = ''] = readInput(tokenFile, 'a token').split('\n');
  if (token.trim() === '') throw new UsageError(`--token-file: the first line of ${tokenFile} is empty`);
  return token.trim();
}

const list = command('sonar clusters list', {
  says: 'List the clusters of the store.',
  options: [storeOption],
  offline: true,
  async run({ output }, _args, options) {
    const items = await withStore(options.store, { isReadOnly: true }, (store) => store.clusters());
    const newest = ({ newest: time }: ClusterSummary) => (time === undefined ? null : formatTimestamp(time));
    output.list({
      items,
      columns: [
        { title: 'Name', value: ({ name }) => name, importance: 9 },
        { title: 'Nodes', value: ({ nodes }) => nodes, align: 'right' },
        { title: 'Envelopes', value: ({ envelopes }) => envelopes, align: 'right' },
        { title: 'Newest Data', value: newest },
      ],
      things: 'clusters',
      empty: 'No clusters; torc sonar clusters add NAME adds one',
      json: { items: items.map((each) => ({ ...each, newest: newest(each) })) },
    });
  },
});

export const clusterCommands: readonly Command[] = [add, list];
