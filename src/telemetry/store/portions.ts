/** Rows of a portion: enough that what a portion costs does not count. */
const ROWS = 1000;

/** Rows one by one as portions. */
export async function* portionsOf<Row>(rows: Iterable<Row>): AsyncGenerator<readonly Row[]> {
  let portion: Row[] = [];
  for (const row of rows) {
    portion.push(row);
    if (portion.length < ROWS) continue;
    yield portion;
    portion = [];
  }
  if (portion.length > 0) yield portion;
}
