import type { Draft } from '../link/draft.ts';
import { eachDistinct, templateOf, withoutTokens } from '../expand/template.ts';
import type { Complain } from '../problems/problems.ts';

/**
 * Warnings about jobs whose name or command is empty, as left by a variable or a parameter without a value.
 *
 * Torc accepts both: such a job completes without having done anything.
 */
export function checkEmptyTexts({ jobs }: Draft, complain: Complain): void {
  for (const family of jobs.families.all) {
    const { spec, at, axes, count } = family;
    const texts = {
      name: [spec.name, 'the name is empty, so no message and no command can name this job'],
      command: [
        // A script before the command may be the whole job.
        `${spec.invocation_script ?? ''}${spec.command}`,
        'the command is empty, so the job completes without having done anything',
      ],
    } as const;
    for (const [field, [text, message]] of Object.entries(texts)) {
      // What stands beside values is never empty, and a sweep may have a million of them.
      if (count === 0 || withoutTokens(text).trim() !== '') continue;
      let isReported = false;
      const written = templateOf(text, axes);
      eachDistinct(written, axes, (combination) => {
        if (isReported || written.render(combination).trim() !== '') return;
        isReported = true;
        complain({ code: 'TEXT_EMPTY', message, path: ['jobs', at, field], found: written.render(combination) });
      });
    }
  }
}
