import { closeSync, existsSync, openSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { Refusal } from '../../core/contract/refusals.ts';
import { openCopy, openSource, type WorkflowSelection } from './queries.ts';

export interface ExportOption extends WorkflowSelection {
  readonly database: string;
  readonly output: string;
  readonly isOverwriting: boolean;
  readonly keepsGroups: boolean;
  readonly vacuums: boolean;
}

export interface ExportCounts {
  readonly workflows: readonly number[];
  readonly jobs: number;
}

/**
 * Writes a separate database with some of the workflows of another one, which a server may be using.
 *
 * The copy is created beside its destination and moved there when it is complete.
 */
export function exportWorkflows(option: ExportOption): ExportCounts {
  const { database, output, isOverwriting } = option;
  if (!existsSync(database)) throw new Refusal('NOT_FOUND', `there is no database ${database}`, { database });
  if (existsSync(output)) {
    if (realpathSync(output) === realpathSync(database))
      throw new Refusal('EXPORT_REFUSED', `${output} is the database itself`, { output });
    if (!isOverwriting) throw new Refusal('EXPORT_REFUSED', `${output} already exists`, { output });
  }
  const fresh = `${output}.${process.pid}.new`;
  const source = openSource(database);
  try {
    if (source.version === 0)
      throw new Refusal('EXPORT_REFUSED', `${database} is not a database of this torc-server`, { database });
    const ids = source.select(option);
    if (ids.length === 0) throw new Refusal('EXPORT_REFUSED', 'no workflow of the database matches', { database });
    rmSync(fresh, { force: true });
    // Only if no other process has created it meanwhile: SQLite would follow a link.
    closeSync(openSync(fresh, 'wx'));
    source.copyTo(fresh);
    const jobs = reduce(fresh, ids, option);
    renameSync(fresh, output);
    return { workflows: ids, jobs };
  } finally {
    source.close();
    rmSync(fresh, { force: true });
  }
}

function reduce(path: string, ids: readonly number[], { keepsGroups, vacuums }: ExportOption): number {
  const copy = openCopy(path);
  try {
    copy.keep(ids);
    copy.stripGroups(keepsGroups ? 'unrelated' : 'all');
    if (vacuums) copy.vacuum();
    return copy.jobs();
  } finally {
    copy.close();
  }
}
