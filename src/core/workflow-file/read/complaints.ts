import { moreLike } from '../problems/few-alike.ts';
import {
  isStrictError,
  pathText,
  problemKinds,
  type Complaint,
  type ValuePath,
  type Problem,
  type ProblemCode,
  type ProblemSeverity,
} from '../problems/problems.ts';
import { each, sequence } from '../../lists/sequence.ts';
import type { TextPlace } from '../../json/place.ts';
import { lineFinder, offsetOf, offsetOfPart } from '../text/place.ts';

// A wrong line in a sweep is wrong a million times. Too few, and a program that reads the report misses instances; too
// many, and the report needs gigabytes: this many are up to 100 MB of JSON.
const MOST_LINES = 50_000;
// A sentence may quote a text of any length, once for each error in it.
const MOST_LETTERS = 32_000_000;

/** Collects all problems of a file, and finds their places at the end. */
export class Complaints {
  private readonly kept: Complaint[] = [];
  private readonly reported = new Set<ProblemCode>();
  private readonly left = new Map<ProblemCode, LeftOut>();
  private readonly limit: number;
  private lines = 0;
  private letters = 0;

  /** `limit` is the maximum number of lines of a report; the others are counted. */
  constructor(limit = MOST_LINES) {
    this.limit = limit;
  }

  readonly add = (complaint: Complaint): void => {
    const { code, echoes } = complaint;
    const wanted = 1 + (echoes?.length ?? 0);
    // One of each kind is always reported: a file with errors never looks like one with only warnings.
    const room = this.letters > MOST_LETTERS ? 0 : this.limit - this.lines;
    const given = Math.min(wanted, Math.max(room, this.reported.has(code) ? 0 : 1));
    this.lines += given;
    this.letters += given * complaint.message.length;
    this.reported.add(code);
    if (given > 0) {
      const some = echoes === undefined ? undefined : sequence(given - 1, (index) => echoes.at(index));
      this.kept.push(some === undefined ? complaint : { ...complaint, echoes: some });
    }
    if (given < wanted) this.leaveOut(complaint, wanted - given);
  };

  private leaveOut({ code, path = [], offset }: Complaint, count: number): void {
    const known = this.left.get(code);
    if (known === undefined) this.left.set(code, { path, offset, count });
    else {
      known.count += count;
      // Their place is only the part of the path that all share.
      if (known.path.length > 0 && !isSame(known.path, path)) known.path = [];
      if (known.offset !== offset) known.offset = undefined;
    }
  }

  /** Whether any problem so far prevents a plan. */
  get hasReadErrors(): boolean {
    return this.kept.some(({ code }) => problemKinds[code][0] === 'read' && problemKinds[code][1] === 'error');
  }

  /** All problems, each with its place; `strict` turns some warnings into errors. */
  problems(file: string, text: string, places: () => TextPlace, strict: boolean): Problem[] {
    if (this.kept.length === 0) return [];
    const place = lineFinder(text);
    let root: TextPlace | undefined;
    return [...this.kept, ...this.summaries()].map((complaint): Problem => {
      const { offset, atKey = false, path = [], part, echoes, ...rest } = complaint;
      const [stage, usual] = problemKinds[complaint.code];
      const severity: ProblemSeverity = strict && isStrictError(complaint.code) ? 'error' : usual;
      const at =
        offset ??
        (part === undefined ? undefined : offsetOfPart(text, (root ??= places()), path, part)) ??
        (path.length === 0 ? undefined : offsetOf((root ??= places()), path, atKey));
      return {
        ...rest,
        severity,
        stage,
        file,
        path: pathText(path),
        ...(echoes === undefined || echoes.length === 0 ? {} : { echoes: [...each(echoes)] }),
        ...(at === undefined ? {} : place(at)),
      };
    });
  }

  private summaries(): Complaint[] {
    return [...this.left].map(([code, { path, offset, count }]) => ({
      code,
      message: moreLike(count),
      more: count,
      ...(path.length === 0 ? {} : { path }),
      ...(offset === undefined ? {} : { offset }),
    }));
  }
}

interface LeftOut {
  path: ValuePath;
  offset: number | undefined;
  count: number;
}

const isSame = (one: ValuePath, other: ValuePath): boolean =>
  one.length === other.length && one.every((step, index) => step === other[index]);
