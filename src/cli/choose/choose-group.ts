import { ServiceError } from '../../client/errors.ts';
import { all } from '../../client/every.ts';
import { someOf } from '../../core/quantity/count-text.ts';
import type { Context } from '../command/context.ts';
import { Failure } from '../command/failure.ts';
import { idOrName } from './id-or-name.ts';

const FORBIDDEN = 403;

export async function chooseGroup(context: Context, given: unknown): Promise<number> {
  const meant = idOrName('access group', given);
  if ('id' in meant) return meant.id;
  const { found, names, areAll } = await groupNamed(context, meant.name);
  if (found !== undefined) return found;
  const whose = areAll ? 'no access group' : `no access group of user ${context.settings.user}`;
  throw new Failure(
    `${whose} is named "${meant.name}"; ${names.length === 0 ? 'there are none' : `there are: ${someOf(names)}`}`,
  );
}

interface Search {
  readonly found: number | undefined;
  /** The groups that were searched, if none of them has the name. */
  readonly names: readonly string[];
  readonly areAll: boolean;
}

/** The id of the access group with this name. Only administrators may list groups that they do not belong to. */
export async function groupNamed({ service, settings: { user } }: Context, name: string): Promise<Search> {
  const { client } = await service();
  const ofUser = await all((query) => client.listUserGroups({ params: { user_name: user }, query }));
  const own = ofUser.find((each) => each.name === name);
  if (own !== undefined) return { found: own.id, names: [], areAll: false };
  const every = await all((query) => client.listAccessGroups({ query })).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === FORBIDDEN) return undefined;
    throw error;
  });
  return {
    found: every?.find((each) => each.name === name)?.id,
    names: (every ?? ofUser).map((each) => each.name),
    areAll: every !== undefined,
  };
}
