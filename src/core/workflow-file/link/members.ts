import { itemsOf, type Lists } from '../../lists/int-list.ts';
import type { Selections } from '../pattern/selection.ts';

/** Calls back for each record that a job names, those that its patterns select included. */
export function eachMember(
  lists: Lists,
  job: number,
  { length, selections }: { readonly length: number; readonly selections: Selections },
  call: (record: number) => void,
): void {
  for (const item of itemsOf(lists, job)) {
    if (item < length) call(item);
    else for (const member of selections.membersOf(item - length)) call(member);
  }
}
