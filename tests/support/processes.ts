import { processesWhere } from '../../src/cluster/host/marked.ts';
import { openProcessTable, type ProcessSample } from '../../src/cluster/host/proc.ts';

/** Ids of the processes whose environment contains this variable, as far as we may read it. */
export const processesWith = (name: string, value: string, root = '/proc'): number[] =>
  processesWhere((environment) => environment.includes(`${name}=${value}`), root);

/** The process table as it is now, read once. */
export function readProcesses(root = '/proc'): ProcessSample[] {
  const table = openProcessTable(root);
  try {
    return table.read();
  } finally {
    table.close();
  }
}
