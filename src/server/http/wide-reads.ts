import type { RouteName } from '../../core/contract/routes.ts';
import { PAGE_LIMIT } from '../../core/contract/shape.ts';
import type { Caller, Permissions } from '../caller.ts';
import { clamped, type Page } from '../store/listing.ts';
import { createSize } from '../store/size.ts';
import { nextTurn } from '../store/slices.ts';
import type { Store } from '../records/store.ts';
import type { Reader } from './reader.ts';

/** Reads whose cost grows with the number of rows, and how their lists handle a page that does not exist. */
const WIDE: Partial<Record<RouteName, 'refuses' | 'clamps' | 'no list'>> = {
  listWorkflows: 'refuses',
  listSharedWorkflows: 'refuses',
  listJobs: 'refuses',
  listResults: 'refuses',
  listEvents: 'refuses',
  listFiles: 'refuses',
  listUserData: 'refuses',
  listResourceRequirements: 'refuses',
  listFailureHandlers: 'refuses',
  listRoCrateEntities: 'refuses',
  listComputeNodes: 'refuses',
  listScheduledComputeNodes: 'refuses',
  listSlurmStats: 'refuses',
  listRunningJobs: 'refuses',
  listSlurmJobCorrelations: 'refuses',
  listJobDependencies: 'clamps',
  listJobFileRelationships: 'clamps',
  listJobUserDataRelationships: 'clamps',
  getJob: 'no list',
  readJobColumns: 'no list',
  readFileColumns: 'no list',
  readUserDataColumns: 'no list',
  listJobIds: 'no list',
  getReadyJobRequirements: 'no list',
  getUnclaimableJobs: 'no list',
  listRequiredExistingFiles: 'no list',
  listMissingUserData: 'no list',
};

/** Rows of a page that are read at once: 9 µs each. */
const ROWS_AT_ONCE = 500;

type Handle = (input: never, caller: Caller) => unknown;
interface ListRequest {
  readonly query?: { readonly offset?: number; readonly limit?: number; readonly sort_by?: string };
}

/** Each piece of a list in another order than its index would sort all rows again. */
const isSorted = ({ query }: ListRequest) => query?.sort_by !== undefined && query.sort_by !== 'id';

/**
 * Executes reads so that none blocks the event loop for long.
 *
 * A small database is read at once. The reading thread executes reads over many rows of a large one, and sees the
 * database at one moment. A database in memory has no second connection: there a long page is read in pieces, and
 * between two pieces others may write. Each row is then as it was when its piece was read; a row that others remove or
 * reorder meanwhile may be missing or appear twice.
 */
export function createWideReads(store: Store, permissions: Permissions, reader: Reader | undefined) {
  const size = createSize(store.db);
  return (name: RouteName, handle: Handle, input: unknown, caller: Caller): unknown => {
    const kind = WIDE[name];
    if (kind === undefined || !size.isLarge()) return handle(input as never, caller);
    const page = kind === 'no list' ? undefined : pageAsked(input as ListRequest, kind);
    if (reader !== undefined) {
      const listedFor = name === 'listWorkflows' ? permissions.listedFor(caller) : undefined;
      return reader.read({ name, input, listedFor, page: isSorted(input as ListRequest) ? undefined : page });
    }
    if (page === undefined) return handle(input as never, caller);
    return inPieces(page, (piece) =>
      handle({ ...(input as ListRequest), query: { ...(input as ListRequest).query, ...piece } } as never, caller),
    );
  };
}

/** The requested page; undefined if it is small, or is refused. */
function pageAsked(
  { query = {} }: ListRequest,
  kind: 'refuses' | 'clamps',
): { offset: number; limit: number } | undefined {
  const { offset = 0, limit = PAGE_LIMIT } = kind === 'clamps' ? clamped(query) : query;
  return offset < 0 || limit > PAGE_LIMIT || limit <= ROWS_AT_ONCE ? undefined : { offset, limit };
}

async function inPieces(
  { offset, limit }: { offset: number; limit: number },
  read: (piece: { offset: number; limit: number }) => unknown,
): Promise<Page<unknown>> {
  const items: unknown[] = [];
  for (;;) {
    const rows = Math.min(ROWS_AT_ONCE, limit - items.length);
    const piece = read({ offset: offset + items.length, limit: rows }) as Page<unknown>;
    for (const item of piece.items) items.push(item);
    if (piece.items.length < rows || items.length === limit) {
      return { ...piece, items, offset, count: items.length };
    }
    await nextTurn();
  }
}

export type WideReads = ReturnType<typeof createWideReads>;
