/**
 * The longest time in milliseconds for which nothing else could run in this process while `work` was under way.
 *
 * A loop of `setImmediate` takes the time between its turns: what a request would wait that arrives at the worst moment.
 */
export async function longestWait(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let before = performance.now();
  const look = () => {
    const at = performance.now();
    longest = Math.max(longest, at - before);
    before = at;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
    // The last piece of the work counts as well.
    await new Promise((resolve) => void setImmediate(resolve));
  } finally {
    isOver = true;
  }
  return longest;
}
