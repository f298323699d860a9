import { ServiceError } from '../client/errors.ts';
import { all } from '../client/every.ts';
import { someOf } from '../core/quantity/count-text.ts';
import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import { idOrName } from './id-or-name.ts';

const FORBIDDEN = 403;

/** The id of an access group, given by id or name. Only administrators may list the groups of which they are no members. */
export async function chooseGroup({ service, settings: { user } }: Context, given: unknown): Promise<number> {
  const meant = idOrName('access group', given);
  if ('id' in meant) return meant.id;
  const { client } = await service();
  const ofUser = await all((query) => client.listUserGroups({ params: { user_name: user }, query }));
  const own = ofUser.find(({ name }) => name === meant.name);
  if (own !== undefined) return own.id;
  const every = await all((query) => client.listAccessGroups({ query })).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === FORBIDDEN) return undefined;
    throw error;
  });
  const found = every?.find(({ name }) => name === meant.name);
  if (found !== undefined) return found.id;
  const whose = every === undefined ? `no access group of user ${user}` : 'no access group';
  const names = (every ?? ofUser).map(({ name }) => name);
  throw new Failure(
    `${whose} is named "${meant.name}"; ${names.length === 0 ? 'there are none' : `there are: ${someOf(names)}`}`,
  );
}
