import type { RouteName } from '../core/contract/routes.ts';

/** The sender of a request, as far as the server knows. */
export interface Caller {
  /** The name of a verified login; undefined for everybody else. */
  readonly user: string | undefined;
  /** The name of a refused login. */
  readonly refused?: string;
  /** The workflow of a job that logged in with the token of its jobs: it may do what jobs do, in this workflow. */
  readonly jobsOf?: number;
}

export const ANONYMOUS: Caller = { user: undefined };

/** The parts of a checked request that rules use. */
interface Given {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** Who may do what. */
export interface Permissions {
  /** Whether access is enforced. If not, everybody but a job may do everything. */
  readonly isEnforced: boolean;
  /** Refuses a request that the caller may not make; missing records are left to the handler, which reports them. */
  check(name: RouteName, given: Given, caller: Caller): void;
  /** The same for `what`, which is no route of the service: its rule names no record. */
  checkCaller(access: 'user' | 'administrator', what: string, caller: Caller): void;
  /** Whether the caller may see this workflow. */
  sees(caller: Caller, workflowId: number): boolean;
  /** Whether the caller has the rights of its owner. */
  owns(caller: Caller, workflowId: number): boolean;
  /** The user whose workflows are listed: undefined for a caller who may see all of them. */
  listedFor(caller: Caller): string | undefined;
  /** Whether this user may see the workflow, as its owner or because it is shared with the user. Administrators are not counted. */
  isFor(workflowId: number, user: string): boolean;
  /** Within a write that takes rights away: what goes on for longer than a request checks them again after the commit. */
  haveChanged(): void;
  /** Calls `check` after each such write. */
  onChange(check: () => void): () => void;
}
