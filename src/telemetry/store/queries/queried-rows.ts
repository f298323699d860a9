import { minus } from '../../../core/contract/sonar/amounts.ts';
import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import type { JobFilter, AttemptLink, SelectedSlurmJobs, SlurmJobRow } from '../rows/records.ts';
import {
  byNodeAndTime,
  type CardSample,
  compareText,
  type DiskSample,
  type JobSampleRow,
  type NodeSampleRow,
  type ProcessCard,
  type ProcessRow,
  type SampleSum,
  type SampleTime,
  type SumsBy,
} from '../rows/samples.ts';
import type { JobKey, Portions, AskedWindow } from '../rows/rows.ts';
import type { Cluster, PartOfWindow, PlacedRow, SampleQuery } from './selection.ts';
import type { RecordQueries } from './records.ts';
import * as nodes from './nodes.ts';
import * as processes from './processes.ts';

/** The answers that every store gives from the same statements. */
export abstract class QueriedRows {
  protected readonly records: RecordQueries;

  constructor(records: RecordQueries) {
    this.records = records;
  }

  /** The clusters of a window: the one that is named, or all, by name. */
  protected abstract clustersOf(name: string | undefined, window?: AskedWindow): Promise<readonly Cluster[]>;
  /** The rows of all these clusters, one after the other. */
  protected abstract portions<Row extends PlacedRow>(
    query: SampleQuery<Row>,
    window: PartOfWindow,
    key?: JobKey,
  ): Portions<Row>;

  async clusterNames(name: string | undefined): Promise<string[]> {
    return (await this.clustersOf(name)).map((each) => each.name);
  }

  processes(window: PartOfWindow, key?: JobKey): Portions<ProcessRow> {
    return this.portions(processes.processes, window, key);
  }

  sampleSums(window: AskedWindow, by: SumsBy, key?: JobKey): Portions<SampleSum> {
    // All of a node counts, so that its producer is chosen among all samples too.
    return this.portions(processes.sampleSums[by], window, by === 'node' ? undefined : key);
  }

  jobSamples(window: AskedWindow, key: JobKey): Portions<JobSampleRow> {
    return this.portions(processes.jobSamples, window, key);
  }

  processCards(window: AskedWindow, key?: JobKey): Portions<ProcessCard> {
    return this.portions(processes.processCards, window, key);
  }

  async sampleTimes(window: PartOfWindow): Promise<readonly SampleTime[]> {
    return (await Array.fromAsync(this.portions(nodes.sampleTimes, window))).flat().toSorted(byNodeAndTime);
  }

  nodeSamples(window: PartOfWindow): Portions<NodeSampleRow> {
    return this.portions(nodes.nodeSamples, window);
  }

  cardSamples(window: AskedWindow): Portions<CardSample> {
    return this.portions(nodes.cardSamples, window);
  }

  diskSamples(window: AskedWindow): Portions<DiskSample> {
    return this.portions(nodes.diskSamples, window);
  }

  async cardStates(window: AskedWindow): Promise<readonly CardSample[]> {
    const newest = new Map<string, CardSample>();
    for await (const cards of this.portions(nodes.newestCards, window))
      for (const card of cards) {
        const key = `${card.cluster} ${card.node} ${card.uuid}`;
        const held = newest.get(key);
        if (held === undefined || held.time <= card.time) newest.set(key, card);
      }
    return [...newest.values()].toSorted(
      (one, other) =>
        compareText(one.cluster, other.cluster) ||
        compareText(one.node, other.node) ||
        Number(minus(one.index, other.index)),
    );
  }

  async selectedJobs(cluster: string, filter: JobFilter): Promise<SelectedSlurmJobs> {
    const [found] = await this.clustersOf(cluster);
    return found === undefined ? { total: 0, jobs: [] } : this.records.selectedJobs(found, filter);
  }

  clusterState(cluster: string, until: number): Promise<Readonly<Record<string, unknown>>> {
    return this.records.clusterState(cluster, until);
  }

  slurmJobs(window: AskedWindow): Promise<readonly SlurmJobRow[]> {
    return this.#ofEach(window.cluster, (cluster) => this.records.slurmJobs(cluster, window));
  }

  slurmJob(cluster: string | undefined, job: Uint): Promise<readonly SlurmJobRow[]> {
    return this.#ofEach(cluster, (each) => this.records.slurmJob(each, job));
  }

  links(cluster: string | undefined, key: JobKey): Promise<readonly AttemptLink[]> {
    return this.#ofEach(cluster, (each) => this.records.links(each, key));
  }

  async #ofEach<Row>(name: string | undefined, read: (cluster: Cluster) => Promise<readonly Row[]>): Promise<Row[]> {
    const found: Row[] = [];
    for (const cluster of await this.clustersOf(name)) for (const row of await read(cluster)) found.push(row);
    return found;
  }
}
