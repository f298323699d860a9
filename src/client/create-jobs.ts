import type { NewJob } from '../core/contract/job.ts';
import type { Reply } from '../core/contract/routes.ts';
import type { Client } from './client.ts';

/** Jobs to create, identified by the caller's numbers. */
export interface JobsToCreate<Sketch extends { readonly name: string }> {
  /** An order in which each job follows the jobs that it depends on. */
  readonly order: Int32Array;
  readonly jobOf: (number: number) => Sketch;
  /** The numbers of the jobs that it depends on. */
  readonly dependsOn: (job: Sketch) => Iterable<number>;
  /** The number of records that it names: jobs, files and user data. */
  readonly namesOf: (job: Sketch) => number;
  /** The record of a job; `earlier` are the ids of its dependencies that exist already. */
  readonly bodyOf: (job: Sketch, earlier: number[]) => NewJob;
  /** Called with the number of jobs created so far. */
  readonly onProgress?: ((jobs: number) => void) | undefined;
}

/** Records in a request: larger requests would delay other requests of the server too long. */
export const BATCH = 1000;
/** Records that the jobs of a request name together: a server refuses a body of more than 2,000,000 values. */
const MOST_NAMES = 200_000;
/** Requests in flight: while the server writes one, the client builds the next. */
const WINDOW = 2;

/**
 * Creates jobs in their order, a thousand a request, and returns their ids by number. Dependencies created by earlier
 * requests are named by id, dependencies in the same request by position, so a long chain does not need a request for
 * each job.
 *
 * Torc's own server ignores positions without an error, and the jobs would have no dependencies. So the first request
 * contains no job that depends on another one in it, and its reply identifies the server: only ours answers `reply=ids`
 * with ids. For Torc's server, each request contains jobs of one level, whose dependencies were all created by earlier
 * requests.
 */
export async function createJobsInOrder<Sketch extends { readonly name: string }>(
  client: Client,
  { order: given, jobOf, dependsOn, namesOf, bodyOf, onProgress }: JobsToCreate<Sketch>,
): Promise<Float64Array> {
  let order = given;
  const ids = new Float64Array(order.length);
  let places = placesIn(order);
  const placeOf = (number: number) => places[number] as number;
  /** Whether the server supports positions. Unknown until the first reply. */
  let knowsPlaces: boolean | undefined;
  let done = 0;

  const send = async (at: number, jobs: NewJob[], positions: number[][]): Promise<void> => {
    const reply = await client.createJobs({
      query: { reply: 'ids' },
      body: { jobs, depends_on_positions: positions.some((each) => each.length > 0) ? positions : undefined },
    });
    knowsPlaces ??= reply.job_ids !== undefined;
    for (const [index, id] of createdIds(reply).entries()) ids[order[at + index] as number] = id;
    done += jobs.length;
    onProgress?.(done);
  };
  const isIndependent = (at: number) => (job: Sketch) => {
    for (const number of dependsOn(job)) if (placeOf(number) >= at) return false;
    return true;
  };

  const underWay: { readonly upTo: number; readonly sent: Promise<void> }[] = [];
  /** Jobs before this position have ids. */
  let known = 0;
  const untilKnown = async (place: number): Promise<void> => {
    while (known < place) {
      const { upTo, sent } = underWay.shift() as (typeof underWay)[number];
      await sent;
      known = upTo;
    }
  };

  for (let at = 0; at < order.length;) {
    const belongs = knowsPlaces === true ? () => true : isIndependent(at);
    const jobs = nextOf(order, at, { jobOf, namesOf }, belongs);
    const earlier = jobs.map((): number[] => []);
    const positions = jobs.map((): number[] => []);
    let last = -1;
    for (const [index, job] of jobs.entries()) {
      for (const number of dependsOn(job)) {
        const place = placeOf(number);
        if (place >= at) {
          (positions[index] as number[]).push(place - at);
        } else {
          (earlier[index] as number[]).push(number);
          last = Math.max(last, place);
        }
      }
    }
    await untilKnown(last + 1);
    if (underWay.length === WINDOW) await untilKnown((underWay[0] as (typeof underWay)[number]).upTo);
    const bodies = jobs.map((job, index) =>
      bodyOf(
        job,
        (earlier[index] as number[]).map((number) => ids[number] as number),
      ),
    );
    const sent = send(at, bodies, positions);
    // It is awaited later; until then a failure must not count as unhandled.
    sent.catch(() => {});
    at += jobs.length;
    underWay.push({ upTo: at, sent });
    if (knowsPlaces !== undefined) continue;
    await untilKnown(at);
    if (knowsPlaces === false) {
      order = byLevel(order, at, (number) => dependsOn(jobOf(number)));
      places = placesIn(order);
    }
  }
  await untilKnown(order.length);
  return ids;
}

/** The ids of created jobs: Torc's own server answers `reply=ids` with the jobs. */
export const createdIds = ({ job_ids: ids, jobs = [] }: Reply<'createJobs'>): number[] =>
  ids ?? jobs.map(({ id }) => id);

/**
 * The jobs of the next request, up to the first that must wait: a request must not contain a name twice, but a workflow
 * may.
 */
function nextOf<Sketch extends { readonly name: string }>(
  order: Int32Array,
  at: number,
  { jobOf, namesOf }: Pick<JobsToCreate<Sketch>, 'jobOf' | 'namesOf'>,
  belongs: (job: Sketch) => boolean,
): Sketch[] {
  const jobs: Sketch[] = [];
  const names = new Set<string>();
  let named = 0;
  for (const number of order.subarray(at, at + BATCH)) {
    const job = jobOf(number);
    if (names.has(job.name) || !belongs(job)) break;
    named += namesOf(job);
    if (named > MOST_NAMES && jobs.length > 0) break;
    names.add(job.name);
    jobs.push(job);
  }
  return jobs;
}

/** The order, with the jobs from this position on sorted by level: jobs of one level come before their dependents. */
function byLevel(order: Int32Array, from: number, dependsOn: (number: number) => Iterable<number>): Int32Array {
  const levels = new Int32Array(order.length);
  for (const number of order) {
    let level = 0;
    for (const other of dependsOn(number)) level = Math.max(level, (levels[other] as number) + 1);
    levels[number] = level;
  }
  const rest = order.slice(from).sort((a, b) => (levels[a] as number) - (levels[b] as number));
  const sorted = order.slice();
  sorted.set(rest, from);
  return sorted;
}

/** The position of each number in the order. */
function placesIn(order: Int32Array): Int32Array {
  const places = new Int32Array(order.length);
  for (const [place, number] of order.entries()) places[number] = place;
  return places;
}
