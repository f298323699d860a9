import { exactSum, greater, minus } from '../../core/contract/sonar/amounts.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';

/**
 * The greatest sums over the nodes of a job, each of one moment: a sum of the greatest values of nodes would add up what was
 * never there at the same time.
 *
 * A sample of a node stands until the next one of that node, at most for `HOLD_SECONDS`, and the last one for its own moment:
 * a node that the job has left does not count. Sums are looked at at the time of each sample of any node.
 */
export class PeakOfSums {
  /** In the order of time, from `#done` on. */
  #moments: Moment[] = [];
  #done = 0;
  readonly #byTime = new Map<number, Moment>();
  readonly #latest = new Map<string, { readonly time: number; readonly values: Figures }>();
  readonly #sums: [Uint, Uint, Uint] = [0, 0, 0];
  readonly #peaks: [Uint, Uint, Uint] = [0, 0, 0];

  /** Samples have to come in the order of time. Of two of one node at one time, the greater values count. */
  add(node: string, time: number, given: Figures): void {
    const before = this.#latest.get(node);
    const isDoubled = before?.time === time;
    const values = isDoubled ? (given.map((value, at) => greater(value, before.values[at] as Uint)) as never) : given;
    this.#latest.set(node, { time, values });
    const moment = this.#momentOf(time);
    for (let at = 0; at < values.length; at++) {
      const value = minus(values[at] as Uint, isDoubled ? (before.values[at] as Uint) : 0);
      moment.begins[at] = exactSum(moment.begins[at] as Uint, value);
      moment.ends[at] = exactSum(moment.ends[at] as Uint, value);
    }
    if (!isDoubled && before !== undefined && time - before.time <= HOLD_SECONDS) {
      const earlier = this.#byTime.get(before.time) as Moment;
      for (const [at, value] of before.values.entries()) {
        // It stands until now, and not only at its own moment.
        earlier.ends[at] = minus(earlier.ends[at] as Uint, value);
        moment.replaced[at] = exactSum(moment.replaced[at] as Uint, value);
      }
    }
    this.#finish(time - HOLD_SECONDS);
  }

  /** Nothing may be added afterwards. */
  peaks(): Figures {
    this.#finish(Infinity);
    return this.#peaks;
  }

  #momentOf(time: number): Moment {
    let moment = this.#byTime.get(time);
    if (moment === undefined) {
      moment = { time, replaced: [0, 0, 0], begins: [0, 0, 0], ends: [0, 0, 0] };
      this.#byTime.set(time, moment);
      this.#moments.push(moment);
    }
    return moment;
  }

  /** The sums of moments that no later sample changes. */
  #finish(before: number): void {
    for (let moment = this.#moments[this.#done]; moment !== undefined && moment.time < before;) {
      for (let at = 0; at < this.#sums.length; at++) {
        const left = minus(this.#sums[at] as Uint, moment.replaced[at] as Uint);
        const sum = exactSum(left, moment.begins[at] as Uint);
        this.#peaks[at] = greater(this.#peaks[at] as Uint, sum);
        this.#sums[at] = minus(sum, moment.ends[at] as Uint);
      }
      this.#byTime.delete(moment.time);
      this.#done++;
      moment = this.#moments[this.#done];
    }
    if (this.#done * 2 < this.#moments.length) return;
    this.#moments = this.#moments.slice(this.#done);
    this.#done = 0;
  }
}

/** CPU, memory and memory of cards, as integers: sums of these are the same in any order. */
export type Figures = readonly [Uint, Uint, Uint];

/** Three samples of a producer that sends one every five minutes. */
const HOLD_SECONDS = 900;

interface Moment {
  readonly time: number;
  /** What earlier samples of the nodes said that were sampled now. */
  readonly replaced: Uint[];
  /** What the samples of now say. */
  readonly begins: Uint[];
  /** The part of it that is known for no later time. */
  readonly ends: Uint[];
}
