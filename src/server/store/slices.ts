const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop. Of all who wait, one goes on in each turn: a hundred long requests at the
 * same time hold the loop no longer than one.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(goOn);
  });

function goOn(): void {
  const resolve = waiting.shift();
  // Before the resolved one goes on: it may wait again at once, and then stands behind the others.
  if (waiting.length > 0) setImmediate(goOn);
  resolve?.();
}
