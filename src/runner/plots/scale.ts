/** Round numbers from 0 to at least `highest`: the marks of an axis, four to seven of them. */
export function marksUpTo(highest: number): number[] {
  if (!(highest > 0)) return [0, 1];
  const step = roundStep(highest / 4);
  const count = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** The largest of 1, 2, 2.5 and 5 times a power of ten that is no larger. */
function roundStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(wanted));
  const factor = [5, 2.5, 2, 1].find((each) => each * power <= wanted * (1 + 1e-9)) ?? 1;
  return factor * power;
}

/** Steps of a time axis, in seconds: usual units of time. */
const TIME_STEPS = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
  14_400, 21_600, 43_200, 86_400, 172_800, 604_800,
];

/** Marks of a time axis from 0 on, at most eight, in seconds. */
export function timeMarks(seconds: number): number[] {
  const step = TIME_STEPS.find((each) => seconds / each <= 8) ?? Math.ceil(seconds / 8 / 604_800) * 604_800;
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, index) => index * step);
}

const BINARY = [
  ['TiB', 2 ** 40],
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
  ['B', 1],
] as const;

/** The unit that fits this number of bytes. */
export function unitOfBytes(highest: number): { readonly name: string; readonly bytes: number } {
  const [name, bytes] = BINARY.find(([, size]) => highest >= size) ?? ['B', 1];
  return { name, bytes };
}

/** Three significant digits, and no more than needed. */
export const shortNumber = (value: number): string =>
  String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));

/** `45 s`, `12:30`, `3:05:00`, `2d 4:00:00`. */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${shortNumber(seconds)} s`;
  const whole = Math.round(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  const days = Math.floor(whole / 86_400);
  const hours = Math.floor((whole % 86_400) / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const clock = hours + days > 0 ? `${hours}:${two(minutes)}` : String(minutes);
  return `${days > 0 ? `${days}d ` : ''}${clock}:${two(whole % 60)}`;
}
