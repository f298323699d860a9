import { formatTimestamp } from '../../../core/contract/sonar/timestamp.ts';
import type { ClusterSummary } from '../../../telemetry/store/store.ts';
import { type Command, command } from '../../command.ts';
import { UsageError } from '../../failure.ts';
import { storeOption, withStore } from './store.ts';

const CLUSTER = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9_])?$/;

const add = command({
  words: 'sonar clusters add <name>',
  says: 'Add a cluster, whose telemetry the store then accepts.',
  more: 'Nodes appear when they send data; clusters are added by a person.',
  options: [storeOption],
  offline: true,
  async run({ output }, [name], options) {
    output.recordOnly('cluster');
    if (!CLUSTER.test(name))
      throw new UsageError(`"${name}" is no name of a cluster: expected letters, digits, ".", "-" and "_"`);
    const isNew = await withStore(options.store, {}, (store) => store.addCluster(name, Math.floor(Date.now() / 1000)));
    output.record(
      'cluster',
      { name, added: isNew },
      isNew ? `Added cluster ${name}` : `Cluster ${name} is there already`,
    );
  },
});

const list = command({
  words: 'sonar clusters list',
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
