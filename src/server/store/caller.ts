import type { Access } from '../../core/contract/routes/route.ts';

/** Who sent a request, as far as the server knows. */
export interface Caller {
  /** The name of a login that was verified; undefined for everybody else. */
  readonly user: string | undefined;
  /** The name of a login that was not accepted. */
  readonly refused?: string;
}

export const ANONYMOUS: Caller = { user: undefined };

/** What of a checked request a rule looks at. */
export interface Given {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Who may do what. */
export interface Permissions {
  /** Is access enforced? If not, everybody may do everything. */
  readonly isEnforced: boolean;
  /** Refuses a request that the caller may not make; what is not there is left to the handler, which says so. */
  check(access: Access, given: Given, caller: Caller): void;
  /** May the caller see this workflow? */
  sees(caller: Caller, workflowId: number): boolean;
  /** May the caller do what its owner may? */
  owns(caller: Caller, workflowId: number): boolean;
  /** The name whose workflows are listed: undefined for somebody who sees them all. */
  listedFor(caller: Caller): string | undefined;
  /** Is the workflow for this user, as its owner or by one of its groups? Administrators are not counted. */
  isFor(workflowId: number, user: string): boolean;
}
