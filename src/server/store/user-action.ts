import type { Caller } from './caller.ts';
import { insertEvent } from './event-row.ts';
import type { Store } from './store.ts';

export type NoteAction = ReturnType<typeof userActions>;

/** Writes down what somebody did to a workflow; somebody without a login is taken for its owner. */
export function userActions({ db, find, now }: Store) {
  const insert = insertEvent(db);
  return (workflowId: number, { user }: Caller, action: string, facts: object): void => {
    const data = { category: 'user_action', action, user: user ?? find.workflow(workflowId).user, ...facts };
    insert.run({ workflowId, timestamp: now(), data: JSON.stringify(data) });
  };
}
