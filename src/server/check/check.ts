import { existsSync, realpathSync } from 'node:fs';
import { Refusal } from '../../core/contract/refusals.ts';
import { migrations } from '../store/migrations.gen.ts';
import { damageMark, isDatabaseDamage, removeMark } from '../store/damage.ts';
import { type Faults, openForCheck } from './queries.ts';

export interface CheckResult {
  readonly faults: Faults;
  /** What a server wrote when it met damage; undefined if none did. */
  readonly mark: string | undefined;
  /** The tables are those of another version of torc: only pages and references were checked. */
  readonly isOtherVersion: boolean;
}

/**
 * Checks the pages of a database, its references, and what its tables mean; a server may be using it. If nothing is wrong, the mark
 * that a server left is removed, so that the next one starts. Throws `NOT_FOUND`.
 */
export function checkDatabase(path: string): CheckResult {
  if (!existsSync(path)) throw new Refusal('NOT_FOUND', `there is no database ${path}`, { database: path });
  const real = realpathSync(path);
  const mark = damageMark(real);
  const { faults, isOtherVersion } = faultsIn(real);
  if (mark !== undefined && Object.keys(faults).length === 0) removeMark(real);
  return { faults, mark, isOtherVersion };
}

function faultsIn(path: string): Pick<CheckResult, 'faults' | 'isOtherVersion'> {
  let db: ReturnType<typeof openForCheck> | undefined;
  try {
    db = openForCheck(path);
    const pages = db.pages();
    if (pages.length > 0) return { faults: { pages: { sentences: pages, more: 0 } }, isOtherVersion: false };
    const references = db.references();
    const isOtherVersion = db.version !== migrations.length;
    const faults = {
      ...(references.sentences.length === 0 ? {} : { references }),
      ...(isOtherVersion ? {} : db.meaning()),
    };
    return { faults, isOtherVersion };
  } catch (error) {
    // Too damaged to be looked at.
    if (!isDatabaseDamage(error)) throw error;
    return { faults: { pages: { sentences: [(error as Error).message], more: 0 } }, isOtherVersion: false };
  } finally {
    db?.close();
  }
}
