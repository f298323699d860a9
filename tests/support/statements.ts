import { StatementSync } from 'node:sqlite';
import { vi } from 'vitest';

/** How many SQL statements of this process are executed while `act` runs, and its result. */
export async function countStatements<T>(act: () => Promise<T>): Promise<{ statements: number; result: T }> {
  const spies = (['run', 'get', 'all', 'iterate'] as const).map((name) => vi.spyOn(StatementSync.prototype, name));
  try {
    const result = await act();
    return { statements: spies.reduce((sum, { mock }) => sum + mock.calls.length, 0), result };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
