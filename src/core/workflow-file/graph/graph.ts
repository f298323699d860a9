import { IntList, itemsOf, reversed, type Lists } from '../../lists/int-list.ts';

/**
 * The dependencies, as lists of numbers.
 *
 * Nodes below `jobs` are jobs. All others are between jobs: a selection of a pattern, a file, a record of user data. A
 * thousand jobs that wait for the same thousand are therefore two thousand edges over one node, not a million.
 */
export interface Graph {
  readonly jobs: number;
  /** For each node those it waits for. */
  readonly waitsFor: Lists;
}

/** Jobs and the selections they name in the dependency fields of the file. */
export interface Dependencies {
  /** Per job: numbers of jobs, and `jobs + n` for selection n. */
  readonly lists: Lists;
  readonly selections: readonly Int32Array[];
}

/** The inputs and outputs of jobs, for one kind of record. */
export interface RecordFlow {
  readonly records: number;
  /** Per job: numbers of records, and `records + n` for selection n. */
  readonly inputs: Lists;
  readonly outputs: Lists;
  readonly selections: readonly Int32Array[];
}

/** The graph of the dependencies that the file names, by name and pattern. */
export const explicitGraph = (jobs: number, dependencies: Dependencies): Graph => graphOf(jobs, dependencies, []);

/** The graph including the dependencies implied by files and user data. */
export function graphOf(jobs: number, dependencies: Dependencies, exchanges: readonly RecordFlow[]): Graph {
  const blocks = exchanges.reduce<{ exchange: RecordFlow; base: number; producers: Lists; memberships: Lists }[]>(
    (before, exchange) => {
      const last = before.at(-1);
      const base = last === undefined ? jobs + dependencies.selections.length : last.base + sizeOf(last.exchange);
      const producers = reversed(exchange.outputs, exchange.records + exchange.selections.length);
      return [...before, { exchange, base, producers, memberships: membershipsOf(exchange, producers) }];
    },
    [],
  );
  const writer = new GraphWriter();
  for (let job = 0; job < jobs; job += 1) {
    writer.addAll(itemsOf(dependencies.lists, job), 0);
    for (const { exchange, base } of blocks) writer.addAll(itemsOf(exchange.inputs, job), base);
    writer.next();
  }
  for (const members of dependencies.selections) {
    writer.addAll(members, 0);
    writer.next();
  }
  for (const { exchange, base, producers, memberships } of blocks) {
    const { records, selections } = exchange;
    const outputs = base + records + selections.length;
    for (let record = 0; record < records; record += 1) {
      writer.addAll(itemsOf(producers, record), 0);
      writer.addAll(itemsOf(memberships, record), outputs);
      writer.next();
    }
    for (const members of selections) {
      writer.addAll(members, base);
      writer.next();
    }
    // The same selections again as outputs: each waits for the jobs that write it.
    for (let selection = 0; selection < selections.length; selection += 1) {
      writer.addAll(itemsOf(producers, records + selection), 0);
      writer.next();
    }
  }
  return { jobs, waitsFor: writer.done() };
}

const sizeOf = ({ records, selections }: RecordFlow): number => records + 2 * selections.length;

/** For each record the selections that contain it and that some job writes. */
function membershipsOf({ records, selections }: RecordFlow, producers: Lists): Lists {
  const starts = new Int32Array(selections.length + 1);
  const items = new IntList();
  for (const [number, members] of selections.entries()) {
    if (itemsOf(producers, records + number).length > 0) for (const member of members) items.push(member);
    starts[number + 1] = items.length;
  }
  return reversed({ starts, items: items.view() }, records);
}

class GraphWriter {
  private readonly starts = new IntList();
  private readonly items = new IntList();

  constructor() {
    this.starts.push(0);
  }

  addAll(targets: Int32Array, shift: number): void {
    for (const target of targets) this.items.push(target + shift);
  }

  next(): void {
    this.starts.push(this.items.length);
  }

  done(): Lists {
    return { starts: this.starts.view(), items: this.items.view() };
  }
}
