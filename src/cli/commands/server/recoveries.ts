import { createClient } from '../../../client/client.ts';
import type { Recoveries } from '../../../server/recover/for-page.ts';
import { refused } from './refused.ts';

const load = () => import('../../../operations/recover/by-server.ts');

/** What a server does about failures for its page, loaded when it is asked for the first time. */
export const recoveries: Recoveries = {
  plan: async (ask, id, policy) => refused((await load()).planForPage(createClient(ask), id, policy)),
  recover: async (ask, id, request) => refused((await load()).recoverForPage(createClient(ask), id, request)),
};
