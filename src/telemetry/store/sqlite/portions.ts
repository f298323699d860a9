/** Rows of a portion: enough that what a portion costs does not count. */
const ROWS = 1000;

/** What `itemOf` makes of rows that come one by one, as portions. */
export async function* portionsOf<Row, Item>(
  rows: Iterable<Row>,
  itemOf: (row: Row) => Item,
): AsyncGenerator<readonly Item[]> {
  let portion: Item[] = [];
  for (const row of rows) {
    portion.push(itemOf(row));
    if (portion.length < ROWS) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}

/** Rows of several sources, each in the order of `isBefore`, as one source in this order. */
export async function* mergedInOrder<Row>(
  sources: readonly AsyncIterable<readonly Row[]>[],
  isBefore: (one: Row, other: Row) => boolean,
): AsyncGenerator<readonly Row[]> {
  const open: Cursor<Row>[] = [];
  try {
    for (const source of sources) {
      const cursor = { portions: source[Symbol.asyncIterator](), rows: [], at: 0 };
      open.push(cursor);
      if (!(await fill(cursor))) open.pop();
    }
    let portion: Row[] = [];
    for (;;) {
      const [first, ...others] = open;
      if (first === undefined) break;
      const least = others.reduce((best, each) => (isBefore(rowAt(each), rowAt(best)) ? each : best), first);
      portion.push(rowAt(least));
      least.at++;
      if (least.at >= least.rows.length && !(await fill(least))) open.splice(open.indexOf(least), 1);
      if (portion.length < ROWS) continue;
      yield portion;
      portion = [];
    }
    if (portion.length > 0) yield portion;
  } finally {
    for (const { portions } of open) await portions.return?.();
  }
}

interface Cursor<Row> {
  readonly portions: AsyncIterator<readonly Row[]>;
  rows: readonly Row[];
  at: number;
}

const rowAt = <Row>({ rows, at }: Cursor<Row>): Row => rows[at] as Row;

/** The next portion that has rows; false if there is none. */
async function fill<Row>(cursor: Cursor<Row>): Promise<boolean> {
  for (;;) {
    const { done, value } = await cursor.portions.next();
    if (done === true) return false;
    cursor.rows = value;
    cursor.at = 0;
    if (value.length > 0) return true;
  }
}
