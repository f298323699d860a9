import type { Packet } from './packet.ts';

/** Where messages go. */
export interface Sink {
  /** Takes the message. Problems are reported to whom the sink was given. */
  send(packet: Packet): void;
  /** Delivers what it still has, for as long as a program that ends may wait. */
  close(): Promise<void>;
}

/** Receives a problem in a sentence. */
export type OnProblem = (problem: string) => void;
