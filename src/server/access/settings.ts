/** Who may log in to a server, and whether access is enforced. */
export interface AccessSettings {
  /** An htpasswd file with bcrypt hashes; without one, requests have no user. */
  readonly usersFile?: string | undefined;
  /** Refuses requests without a valid login. */
  readonly requireLogin: boolean;
  /** A workflow is accessible to its owner, to members of groups that it is shared with, and to administrators. */
  readonly enforce: boolean;
  /** The members of the group `admin`. */
  readonly administrators: readonly string[];
  /** How long a verified login is cached; 0 verifies each. */
  readonly cacheSeconds: number;
}
