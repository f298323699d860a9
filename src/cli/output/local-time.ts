/** A time from a server or a runner in the form of `localTime`; text that is not a time is returned unchanged. */
export function dateText(text: string | null | undefined): string {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? (text ?? '') : localTime(ms);
}

/** `2026-11-21 14:05:09 +0100`, in the time zone of the user. */
export function localTime(ms: number): string {
  const at = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  const offset = -at.getTimezoneOffset();
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())} ${zone}`;
}
