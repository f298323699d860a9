// Any Node since 14 can read this file.

/** bin/runtime.sh sets it where SIGHUP was ignored at the start, as under nohup. */
const VARIABLE = 'TORC_HANG_UP';

/**
 * Keeps SIGHUP ignored for the life of the program where it was ignored at the start. Node gives every ignored signal its default
 * action before it runs any code, so only the shell that starts Node can know.
 */
export function keepHangUpIgnored() {
  if (process.env[VARIABLE] === undefined) return;
  // Jobs and helper programs must not see it.
  delete process.env[VARIABLE];
  const deliver = process.emit;
  process.emit = (name, ...values) => name === 'SIGHUP' || deliver.call(process, name, ...values);
  // After that: Node delivers a signal with the function that it finds at the first listener.
  process.on('SIGHUP', () => {});
}
