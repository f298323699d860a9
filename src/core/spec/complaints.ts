import { pathText, problemKinds, type Complaint, type Problem, type Severity } from './problems.ts';
import { lineFinder, offsetOf, type Place } from './text/place.ts';

// A wrong line in a sweep is wrong a million times. Too few, and a person cannot see the kind of instance that is hit;
// too many, and the report is a flood.
const MOST_ALIKE = 100;

/** Gathers everything that is wrong with a file, and places it at the end. */
export class Complaints {
  private readonly kept: Complaint[] = [];
  private readonly counts = new Map<string, { complaint: Complaint; count: number }>();

  readonly add = (complaint: Complaint): void => {
    const key = `${complaint.code} ${complaint.offset ?? pathText(complaint.path ?? [])}`;
    const alike = this.counts.get(key);
    if (alike === undefined) this.counts.set(key, { complaint, count: 1 });
    else alike.count += 1;
    if ((alike?.count ?? 1) <= MOST_ALIKE) this.kept.push(complaint);
  };

  /** Whether anything so far stands in the way of a plan. */
  get hasReadErrors(): boolean {
    return this.kept.some(({ code }) => problemKinds[code][0] === 'read' && problemKinds[code][1] === 'error');
  }

  /** All problems, each at its place; `strict` makes an error of whatever a reader passed over. */
  problems(file: string, text: string, places: () => Place, strict: boolean): Problem[] {
    if (this.kept.length === 0) return [];
    const place = lineFinder(text);
    let root: Place | undefined;
    return [...this.kept, ...this.summaries()].map((complaint): Problem => {
      const { offset, atKey = false, path = [], ...rest } = complaint;
      const [stage, usual] = problemKinds[complaint.code];
      const severity: Severity = strict && stage === 'read' ? 'error' : usual;
      const at = offset ?? (path.length === 0 ? undefined : offsetOf((root ??= places()), path, atKey));
      return {
        ...rest,
        severity,
        stage,
        file,
        path: pathText(path),
        ...(at === undefined ? {} : place(at)),
      };
    });
  }

  private summaries(): Complaint[] {
    return [...this.counts.values()].flatMap(({ complaint: { code, path, offset }, count }) =>
      count <= MOST_ALIKE
        ? []
        : [
            {
              code,
              message: `… and ${count - MOST_ALIKE} more like it`,
              ...(path === undefined ? {} : { path }),
              ...(offset === undefined ? {} : { offset }),
            },
          ],
    );
  }
}
