import { readFileSync } from 'node:fs';
import type { AccessSettings } from '../../../server/access/settings.ts';
import { Failure } from '../../command/failure.ts';
import { readUsersFile } from '../../../core/text/users-file.ts';
import type { ServerValues } from './options.ts';

/** Who may log in and who may do what. Invalid combinations are refused here, before the server listens. */
export function accessOf(options: ServerValues): AccessSettings {
  const usersFile = options.authFile;
  const requireLogin = options.requireAuth === true;
  const enforce = options.enforceAccessControl === true;
  if (usersFile === undefined) {
    if (requireLogin) throw new Failure(`--require-auth ${NEEDS_FILE}`);
    if (enforce) throw new Failure(`--enforce-access-control ${NEEDS_FILE}`);
  } else {
    checkUsers(usersFile);
  }
  return {
    usersFile,
    requireLogin,
    enforce,
    administrators: [...new Set(options.adminUser.flatMap((names) => names.split(',')))]
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    cacheSeconds: options.credentialCacheTtlSecs,
  };
}

const NEEDS_FILE =
  'needs to know who may log in: name a file with --auth-file (TORC_AUTH_FILE); `torc-htpasswd add -f FILE USER` makes one';

function checkUsers(path: string): void {
  const refuse = (words: string): never => {
    throw new Failure(`the file of users ${path}${words}`);
  };
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return refuse(
      code === 'ENOENT'
        ? ` is not there; \`torc-htpasswd add -f ${path} USER\` makes it`
        : ` cannot be read: ${message}`,
    );
  }
  const { users, problems } = readUsersFile(text.split(/\r?\n/));
  const [first] = problems;
  if (first !== undefined) refuse(`:${first.line}: ${first.words}`);
  if (users.size === 0) refuse(` has no user in it; \`torc-htpasswd add -f ${path} USER\` adds one`);
}
