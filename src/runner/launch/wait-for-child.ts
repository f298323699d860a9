import type { ProcessEnd } from './launcher.ts';
import { type Libc, STRUCT_BYTES } from './libc.ts';

const WNOHANG = 1;
/** Of waitid: which children, in what state, and that the end is left to another call. */
const P_ALL = 0;
const P_PID = 1;
const WEXITED = 4;
const WNOWAIT = 0x0100_0000;
/** In siginfo_t of 64-bit Linux, behind three numbers and a gap. */
const SI_PID = 16;

/** Reads how a child ended. */
export interface WaitForChild {
  /** A child that has ended and was not waited for, ours or one of the runtime; undefined if there is none. */
  readonly someEnded: () => number | undefined;
  /** Its end; undefined if it still runs. */
  readonly ended: (pid: number) => ProcessEnd | undefined;
  /**
   * Blocks until it ends; its peak is that of its parent if its own is less. Undefined if there is no such child, or if
   * the calls do not agree on it.
   */
  readonly untilEnd: (pid: number) => ProcessEnd | undefined;
}

export function createWaitForChild({ calls, memory }: Libc): WaitForChild {
  const status = memory(STRUCT_BYTES);
  const usage = memory(STRUCT_BYTES);
  const info = memory(STRUCT_BYTES);
  const wait = (pid: number, flags: number, isItsOwn: (peakBytes: number) => boolean) =>
    calls.wait4(pid, status.at, flags, usage.at) === pid
      ? endingOf(pid, status.view.getInt32(0, true), usage.view, isItsOwn)
      : undefined;
  const look = (kind: number, pid: number, flags: number) => {
    info.view.setInt32(SI_PID, 0, true);
    calls.waitid(kind, pid, info.at, WEXITED | WNOWAIT | flags);
    return info.view.getInt32(SI_PID, true) || undefined;
  };
  return {
    someEnded: () => look(P_ALL, 0, WNOHANG),
    ended: (pid) => wait(pid, WNOHANG, isAboveOwnPeak),
    untilEnd: (pid) => (look(P_PID, pid, 0) === pid ? wait(pid, 0, () => true) : undefined),
  };
}

let runnersPeakBytes = 0;

/**
 * Whether this is more than the runner's own peak. A spawned process starts with the peak of its parent, so only a
 * value above ours is its own.
 *
 * Our peak only grows, so the last value is enough for most jobs; only a job above it needs another check, which costs
 * as much as a tenth of a launch.
 */
function isAboveOwnPeak(peakBytes: number): boolean {
  if (peakBytes > runnersPeakBytes) runnersPeakBytes = process.resourceUsage().maxRSS * 1024;
  return peakBytes > runnersPeakBytes;
}

/** struct rusage begins with user and system time, two pairs of (seconds, microseconds), then the peak in KiB. */
function endingOf(pid: number, status: number, usage: DataView, isItsOwn: (peakBytes: number) => boolean): ProcessEnd {
  const time = (at: number) => Number(usage.getBigInt64(at, true)) + Number(usage.getBigInt64(at + 8, true)) / 1e6;
  const signal = status & 127;
  const peakBytes = Number(usage.getBigInt64(32, true)) * 1024;
  return {
    pid,
    exitCode: signal === 0 ? (status >> 8) & 255 : undefined,
    signal: signal === 0 ? undefined : signal,
    cpuSeconds: time(0) + time(16),
    peakBytes: isItsOwn(peakBytes) ? peakBytes : undefined,
  };
}
