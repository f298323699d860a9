import { type Command, command } from '../../command/command.ts';
import { Failure } from '../../command/failure.ts';
import { hashOf, withoutUser, withUser } from './entries.ts';
import { changeUsersFile, readPasswordFile } from './file.ts';
import { reload, reloadOptions } from './reload.ts';
import { integerOption, type ValuesOf, option } from '../../command/option.ts';

const fileOption = option('-f, --file <path>', 'the file of users', { required: true });
const passwordOption = option(
  '-p, --password <password>',
  'the password; by default asked for on a terminal, or the first line of standard input',
);

const costOption = option(
  '-c, --cost <n>',
  'bcrypt cost, 4 to 31; one more doubles the time of a guess, and of each login',
  {
    default: 12,
    read(text: string, name: string) {
      const cost = integerOption()(text, name);
      if (cost < 4 || cost > 31) throw new Failure(`cost must be between 4 and 31, found ${text}`);
      return cost;
    },
  },
);

const htpasswdAdd = command('add <user>', {
  says: 'Add a user to a file, or change the password of a user.',
  example: '--file users.htpasswd ada',
  options: [fileOption, passwordOption, costOption, ...reloadOptions],
  async run(context, [user], options) {
    const path = options.file;
    const hash = await newHash(user, options);
    let isNew = true;
    changeUsersFile(path, (entries) => {
      const [problem] = entries.problems;
      if (problem !== undefined) throw new Failure(`${path}:${problem.line}: ${problem.words}`);
      isNew = !entries.users.has(user);
      return withUser(entries, user, hash);
    });
    context.output.text(
      isNew ? `Added user '${String(user)}' to ${path}` : `Changed the password of '${String(user)}' in ${path}`,
    );
    await reload(context, options);
  },
});

const htpasswdHash = command('hash [user]', {
  says: 'Print the line of a user, to be sent to the administrator of the server.',
  example: 'ada',
  more: 'Without a name the user is $TORC_USERNAME, $USER or $USERNAME.',
  options: [passwordOption, costOption],
  async run({ output, environment }, [given], options) {
    const names = [given, ...['TORC_USERNAME', 'USER', 'USERNAME'].map((name) => environment[name])];
    const user = names.find((name) => name !== undefined && name !== '');
    if (user === undefined) throw new Failure('could not read from $TORC_USERNAME, $USER, or $USERNAME: name the user');
    output.notice(`Hashing password for user '${user}'`);
    output.text(`${user}:${await newHash(user, options)}`);
    output.notice('Send the line above to the administrator of the server.');
  },
});

const htpasswdRemove = command('remove <user>', {
  says: 'Remove a user from a file.',
  example: '--file users.htpasswd ada',
  options: [fileOption, ...reloadOptions],
  async run(context, [user], options) {
    const path = options.file;
    readPasswordFile(path);
    changeUsersFile(path, (entries) => {
      if (!entries.users.has(user)) throw new Failure(`there is no user '${String(user)}' in ${path}`);
      return withoutUser(entries, user);
    });
    context.output.text(`Removed user '${String(user)}' from ${path}`);
    await reload(context, options);
  },
});

const htpasswdList = command('list', {
  says: 'List the users of a file, one a line.',
  example: '--file users.htpasswd',
  options: [fileOption],
  run({ output }, _args, options) {
    const path = options.file;
    const { users, problems } = readPasswordFile(path);
    for (const { line, words } of problems) output.warn(`${path}:${line}: ${words}`);
    if (users.size === 0) output.notice(`No users in ${path}`);
    else output.text([...users.keys()].join('\n'));
    return Promise.resolve();
  },
});

const htpasswdVerify = command('verify <user>', {
  says: 'Check the password of a user. Exit code 1 if it is wrong.',
  example: '--file users.htpasswd ada',
  options: [fileOption, passwordOption],
  async run({ output }, [user], options) {
    const path = options.file;
    const hash = hashOf(readPasswordFile(path), user);
    if (hash === undefined) throw new Failure(`there is no user '${String(user)}' in ${path}`);
    const { passwordFor } = await import('../../terminal/ask-password.ts');
    const password = await passwordFor(options.password, false);
    const { default: bcrypt } = await import('bcryptjs');
    if (!(await bcrypt.compare(password, hash))) throw new Failure(`the password of '${String(user)}' is wrong`);
    output.text(`The password of '${String(user)}' is correct`);
  },
});

/** Every command of torc-htpasswd. */
export const htpasswdCommands: readonly Command[] = [
  htpasswdAdd,
  htpasswdHash,
  htpasswdRemove,
  htpasswdList,
  htpasswdVerify,
];

/** The hash of a password that is strong enough. */
async function newHash(
  user: string,
  options: ValuesOf<readonly [typeof passwordOption, typeof costOption]>,
): Promise<string> {
  if (!/^[^:#\s][^:\r\n]*$/.test(user) || user.trim() !== user)
    throw new Failure(
      `"${user}" is not a valid user name: it must not contain a colon or a line break, or begin with a blank or #`,
    );
  const { passwordFor } = await import('../../terminal/ask-password.ts');
  const { hashed, refuseWeak } = await import('./password.ts');
  const password = await passwordFor(options.password, true);
  await refuseWeak(password, user);
  return hashed(password, options.cost);
}
