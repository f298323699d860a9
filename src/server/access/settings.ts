/** Who may log in to a server, and whether what they may do is looked at. */
export interface AccessSettings {
  /** An htpasswd file with bcrypt hashes; without one nobody has a name. */
  readonly usersFile?: string | undefined;
  /** Answers nobody without a good login. */
  readonly requireLogin: boolean;
  /** Workflows are for their owner, for members of groups that they are shared with, and for administrators. */
  readonly enforce: boolean;
  /** The members of the group `admin`. */
  readonly administrators: readonly string[];
  /** How long a login that was verified is taken without verifying it again; 0 verifies each. */
  readonly cacheSeconds: number;
}
