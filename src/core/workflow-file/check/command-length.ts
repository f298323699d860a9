import type { Draft } from '../link/draft.ts';
import { withoutTokens } from '../expand/template.ts';
import type { Complain } from '../problems/problems.ts';

/** The kernel takes arguments of 128 KiB with the zero at their end; bash gets a command as one of them. Source: execve(2). */
const MOST_BYTES = 128 * 1024 - 1;

/** Refuses commands that no kernel would start, whatever values stand in the place of their tokens. */
export function checkCommandLength({ jobs }: Draft, complain: Complain): void {
  for (const { spec, at, count } of jobs.families.all) {
    const text = `${spec.invocation_script ?? ''}${spec.command}`;
    // A letter is at least a byte.
    if (count === 0 || text.length <= MOST_BYTES || withoutTokens(text).length <= MOST_BYTES) continue;
    complain({
      code: 'COMMAND_TOO_LONG',
      message: `the command has ${text.length} letters, and the system starts none of more than ${MOST_BYTES} bytes; write it into a file, and run bash FILE`,
      path: ['jobs', at, 'command'],
    });
  }
}
