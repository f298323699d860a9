// The inner side of the small process that an old Node leaves around the newer one (see start.mjs).

/** Marks the inner process as one that has an outer one. */
export const OUTER_VARIABLE = 'TORC_OUTER';

/** The signals that a person, a terminal or Slurm sends. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'];

/**
 * Takes signals from the process around this one, if there is one, and ends when that process is gone.
 *
 * A key pressed on a terminal, or a `kill` of the process group, reaches both processes; a `kill` of the outer process
 * reaches that one alone. The outer process cannot see which it was, so it passes every signal on. This side counts: a
 * signal that was passed on as often as it arrived here directly is not delivered again. The order of the two is open.
 */
export function followOuter() {
  if (process.env[OUTER_VARIABLE] === undefined) return;
  delete process.env[OUTER_VARIABLE];
  if (process.channel === undefined) return;
  const counts = new Map(SIGNALS.map((signal) => [signal, { direct: 0, passedOn: 0 }]));
  const deliver = process.emit;

  process.emit = (name, ...values) => {
    const count = counts.get(name);
    if (count !== undefined) {
      count.direct += 1;
      if (count.direct <= count.passedOn) return true;
    }
    return deliver.call(process, name, ...values);
  };

  process.on('message', ({ signal }) => {
    const count = counts.get(signal);
    count.passedOn += 1;
    if (count.passedOn <= count.direct) return;
    if (process.listenerCount(signal) > 0) deliver.call(process, signal, signal);
    else process.kill(process.pid, signal);
  });
  // The outer process was killed: no signal would reach this one any more, and no user would know that it runs.
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
