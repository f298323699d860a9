import type { Draft } from '../link/draft.ts';
import { aboutEach } from '../expand/instances.ts';
import { eachDistinct, templateOf } from '../expand/template.ts';
import type { Complain } from '../problems/problems.ts';

/**
 * Labels determine which runners may take a job: each is a word without commas, and cannot be combined with a
 * scheduler.
 */
export function checkLabels({ jobs }: Draft, complain: Complain): void {
  for (const family of jobs.families.all) {
    const { labels, scheduler } = family.spec;
    if (labels === undefined || family.count === 0) continue;
    for (const [at, text] of labels.entries()) {
      const label = templateOf(text, family.axes);
      eachDistinct(label, family.axes, (combination) => {
        const written = label.render(combination);
        if (written !== '' && written.trim() === written && !written.includes(',')) return;
        const job = family.name.render(combination);
        const rule = 'label must be non-empty with no comma and no leading or trailing whitespace';
        complain({
          code: 'LABEL_MALFORMED',
          message: `Job '${job}': ${rule}, got ${JSON.stringify(written)}`,
          path: ['jobs', family.at, 'labels', at],
          found: written,
        });
      });
    }
    if (labels.length === 0 || scheduler === undefined) continue;
    complain({
      code: 'LABEL_MALFORMED',
      ...aboutEach(
        family,
        (job) =>
          `Job '${job}' sets both labels ${JSON.stringify(labels)} and scheduler '${scheduler}'; ` +
          'allocations that torc starts never take jobs with labels, so use one of the two',
      ),
      path: ['jobs', family.at, 'labels'],
      atKey: true,
    });
  }
}
