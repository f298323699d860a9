import type { Caller } from '../../caller.ts';
import { insertEvent } from './queries.ts';
import type { Store } from '../store.ts';

export type NoteAction = ReturnType<typeof userActions>;

/** Records an action of a user on a workflow; a user without a login counts as its owner. */
export function userActions({ db, find, now }: Store) {
  const insert = insertEvent(db);
  return (workflowId: number, { user }: Caller, action: string, facts: object): void => {
    const data = { category: 'user_action', action, user: user ?? find.workflow(workflowId).user, ...facts };
    insert.run({ workflowId, timestamp: now(), data: JSON.stringify(data) });
  };
}
