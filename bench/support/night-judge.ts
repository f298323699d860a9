/** What Slurm has on record of an allocation, or of one life of it. */
export interface Paid {
  readonly id: string;
  readonly coreSeconds: number;
  readonly state: string;
}

interface Ended {
  readonly name: string;
  readonly status: string;
  readonly attempt_id: number;
}

/** What jobs wrote and what was paid for, in lines for a person, and the promises that were broken. */
export function judge(jobs: readonly Ended[], logOf: (index: number) => string, paid: readonly Paid[]) {
  const faults: string[] = [];
  const sum = { done: 0, lost: 0, attempts: 0, twice: 0 };
  for (const { name, status, attempt_id: last } of jobs) {
    const attempts = attemptsIn(textOr(() => logOf(Number(name.slice('job_'.length)))));
    const done = attempts.filter((each) => each.isDone);
    if (status !== 'completed') faults.push(`${name} is ${status}`);
    else if (!done.some(({ id }) => id === last))
      faults.push(`${name} is completed, and attempt ${last} did not do its work`);
    // Its runner died between its last line and the report.
    if (done.length > 1) sum.twice += 1;
    for (const [at, { first, id }] of attempts.entries()) {
      const before = attempts[at - 1];
      if (before !== undefined && before.last > first)
        faults.push(`${name}: attempt ${id} began while another one ran`);
    }
    sum.attempts += attempts.length;
    for (const { first, last: until, isDone } of attempts) sum[isDone ? 'done' : 'lost'] += until - first;
  }
  const total = paid.reduce((before, { coreSeconds }) => before + coreSeconds, 0);
  const share = (seconds: number) => `${seconds.toFixed(0)} core seconds, ${((100 * seconds) / total).toFixed(1)} %`;
  const states = [...Map.groupBy(paid, ({ state }) => state.split(' ')[0]).entries()];
  return {
    faults,
    lines: [
      `jobs completed            ${jobs.filter(({ status }) => status === 'completed').length} of ${jobs.length}, in ${sum.attempts} attempts`,
      `done twice                ${sum.twice}, all killed between their last line and its report`,
      `allocations               ${paid.length} (${states.map(([state, each]) => `${each.length} ${state}`).join(', ')})`,
      `paid                      ${total.toFixed(0)} core seconds`,
      `used by what was kept     ${share(sum.done)}`,
      `used by what was killed   ${share(sum.lost)}`,
      `used in all               ${share(sum.done + sum.lost)}`,
    ],
  };
}

interface AttemptSeen {
  readonly id: number;
  readonly first: number;
  readonly last: number;
  readonly isDone: boolean;
}

/** The attempts in the lines of a job, by their beginning. */
function attemptsIn(text: string): AttemptSeen[] {
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [word, id, time, allocation] = line.split(' ');
      return { word, id: Number(id), key: `${id} ${allocation}`, time: Number(time) };
    });
  return [...Map.groupBy(lines, ({ key }) => key).values()]
    .map((each) => {
      const times = each.map(({ time }) => time);
      return {
        id: each[0]?.id ?? 0,
        first: Math.min(...times),
        last: Math.max(...times),
        isDone: each.some(({ word }) => word === 'end'),
      };
    })
    .sort((one, other) => one.first - other.first);
}

function textOr(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
