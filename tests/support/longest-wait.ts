/**
 * The longest time in milliseconds for which nothing else could run in this process while `work` was under way.
 *
 * A loop of `setImmediate` takes the time between its turns: what a request would wait that arrives at the worst moment.
 * It is processor time of this thread, for on a busy machine the neighbours would be measured otherwise.
 */
export async function longestWait(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let before = processorMs();
  const look = () => {
    const at = processorMs();
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

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
