import { readFileSync } from 'node:fs';
import type { Switched } from '../../operations/self/update.ts';
import { packageRoot } from '../../operations/run/package-root.ts';
import type { Context } from '../command/context.ts';
import { type Command, command } from '../command/command.ts';
import { Failure } from '../command/failure.ts';
import { option } from '../command/option.ts';

const room = () => import('../../operations/self/update.ts');

const FORCE = option('--force', 'also to an older version that refuses databases which this one has opened');

const selfUpdate = command('self update [version]', {
  says: 'Install the newest version of torc, or this one, beside the one that is there.',
  example: '--from ~/torc-release',
  more: `For a torc that install.sh of a release has installed. Sum and signature are checked before anything is unpacked.
What runs goes on with its version, which stays installed: \`torc self rollback\` returns to it. An older version that cannot use a database that this one has opened is refused.`,
  offline: true,
  options: [
    option('--from <place>', 'folder or URL with SHA256SUMS and the archives (default: where torc was installed from)'),
    option(
      '--key <file>',
      'public key of minisign that the release must be signed with (default: the one of this torc)',
      {
        kind: 'path',
      },
    ),
    option('--token <token>', 'token that the URL asks for (GITHUB_TOKEN)'),
    FORCE,
  ],
  async run(context, [version], options) {
    context.output.recordOnly('the update');
    const { updateSelf } = await room();
    const done = await updateSelf(packageRoot(), {
      version: version?.replace(/^v(?=\d)/, ''),
      from: options.from,
      key: options.key === undefined ? undefined : keyIn(options.key),
      token: options.token ?? context.environment['GITHUB_TOKEN'],
      isForced: options.force === true,
    });
    if (!done.isSigned)
      context.output.warn('No signature was checked, as this torc was built without a key; --key FILE names one.');
    report(
      context,
      done,
      done.isChanged ? `Updated torc ${done.from} to ${done.to}` : `torc ${done.from} is the newest in ${done.place}`,
    );
  },
});

const selfRollback = command('self rollback', {
  says: 'Return to the version of torc that was there before the last update.',
  more: 'Both versions stay installed. Again, it returns to the newer one. It is refused where the version before cannot use a database that this one has opened.',
  offline: true,
  options: [FORCE],
  async run(context, _args, options) {
    context.output.recordOnly('the rollback');
    const { rollBackSelf } = await room();
    const done = await rollBackSelf(packageRoot(), options.force === true);
    report(context, done, `Returned from torc ${done.from} to ${done.to}`);
  },
});

export const selfCommands: readonly Command[] = [selfUpdate, selfRollback];

function report({ output }: Context, done: Switched, text: string): void {
  const { from, to, isChanged, isSigned, versions, migrates, mayReturn } = done;
  output.record('version', { from, to, changed: isChanged, signed: isSigned, migrates, may_return: mayReturn }, text);
  if (!isChanged) return;
  output.notice(`Servers and runners that run go on with ${from}, which stays in ${versions}/${from}.`);
  if (migrates)
    output.notice(
      `The two versions have different tables: a server migrates its database when the newer one starts, and keeps a copy beside it (FILE-before-N). The older one ${mayReturn ? 'can use' : 'refuses'} a database that was migrated.`,
    );
}

function keyIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Failure(`the key cannot be read: ${(cause as Error).message}`, { cause });
  }
}
