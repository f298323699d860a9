import { withoutLogin } from './url-login.ts';
import { type Response, ServiceError } from '../errors.ts';

/** The name and the password that a connection sends. */
export interface Login {
  readonly user: string | undefined;
  readonly password: string | undefined;
}

/** The service does not accept the login, or there was none: the same for every request. */
export class LoginRefused extends ServiceError {
  constructor(answer: Response, url: string, { user, password }: Login) {
    const server = `the server at ${withoutLogin(url).url}`;
    const name = user === undefined || user === '' ? 'a user without a name' : `user "${user}"`;
    super(
      'log in',
      answer,
      // A reply with a code explains itself, as that of a standalone server.
      answer.text.trimStart().startsWith('{')
        ? {}
        : password === undefined
          ? {
              refused: `${server} requires a login, and no password was given for ${name}`,
              remedy:
                'Set TORC_PASSWORD, or give --prompt-password; if your name there is another one, set TORC_USERNAME.',
            }
          : {
              refused: `${server} refused the login of ${name}: the password is wrong, or the server has no such user`,
              remedy:
                'Correct TORC_USERNAME and TORC_PASSWORD (--password), or give --prompt-password; the administrator of the server sets passwords with torc-htpasswd.',
            },
    );
    this.name = 'LoginRefused';
  }
}
