import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../store/database.ts';
import { migrateDatabase } from '../store/migrate.ts';
import { exportWorkflows } from './export.ts';

it('a deleted workflow is not exported, also while rows of it are left', () => {
  const folder = mkdtempSync(join(tmpdir(), 'torc-export-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [database, output] = [join(folder, 'torc.db'), join(folder, 'copy.db')];
  const db = openDatabase(database);
  migrateDatabase(db);
  db.run(`insert into workflow (name, user, timestamp, removed_at_ms)
    values ('kept', 'u', 't', null), ('deleted', 'u', 't', 1)`);
  db.close();
  const option = { database, output, isOverwriting: false, keepsGroups: false, vacuums: false };
  expect(exportWorkflows({ ...option, ids: [], users: [], groups: [] }).workflows).toEqual([1]);
  const copy = openDatabase(output);
  expect(copy.prepare<Record<string, never>, { name: string }>('select name from workflow').all({})).toEqual([
    { name: 'kept' },
  ]);
  copy.close();
});
