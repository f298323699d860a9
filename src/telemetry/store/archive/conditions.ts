import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import type { JobKey, AskedWindow } from '../rows/rows.ts';
import type { ArchiveTableName } from '../tables.ts';
import { type Bind, type Conditions, conjunction, type SampleSelection } from '../queries/selection.ts';

const unsigned = (value: Uint): string => `${BigInt(value)}::ubigint`;

/** The rows of a job, of processes as `p`. */
export const ofJobIn = ({ job, epoch }: JobKey): string =>
  `p.job = ${unsigned(job)}${epoch === undefined ? '' : ` and p.epoch = ${unsigned(epoch)}`}`;

/** A window may be without end. */
export const secondsLiteral = (time: number): string => String(Number.isSafeInteger(time) ? time : time > 0 ? 1e15 : 0);

export const inWindow = ({ from, until }: Pick<AskedWindow, 'from' | 'until'>): string =>
  `e.time >= ${secondsLiteral(from)} and e.time < ${secondsLiteral(until)}`;

export const ofNodeIn = (alias: string, name: string): string =>
  `(${alias}.node = ${name} or split_part(${alias}.node, '.', 1) = ${name})`;

/** The texts of a list in JSON, as rows. */
export const parquetTexts = (json: string): string => `select unnest(from_json(${json}, '["VARCHAR"]'))`;

/** The files are those of one cluster. */
export function parquetConditions(
  { window, key, chosen }: SampleSelection,
  bind: Bind,
  file: (table: ArchiveTableName) => string,
): Conditions {
  const { node, nodes, user } = window;
  const conditions = (ofJob: string | undefined) =>
    conjunction(
      inWindow(window),
      ofJob,
      node !== undefined && ofNodeIn('e', bind(node)),
      nodes && `e.node between ${bind(nodes.first)} and ${bind(nodes.last)}`,
      chosen && `e.node || ' ' || e.source in (${parquetTexts(bind(JSON.stringify(chosen)))})`,
    );
  return {
    get samples() {
      return conditions(key && `e.n in (select p.n from ${file('process')} p where ${ofJobIn(key)})`);
    },
    get entries() {
      return conjunction(conditions(key && ofJobIn(key)), user !== undefined && `p."user" = ${bind(user)}`);
    },
  };
}
