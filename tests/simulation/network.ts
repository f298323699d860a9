import { Unreachable } from '../../src/client/errors.ts';

/** What a request met on its way, as far as its sender can see: an answer, the server's refusal, or nothing. */
interface Sender<Answer> {
  answered(answer: Answer): void;
  failed(error: unknown): void;
}

/** Carries requests to a server that answers at once, or throws: its refusal, or `Unreachable` where it is down. */
export interface Network {
  send<Answer>(deliver: () => Answer, sender: Sender<Answer>): void;
  /** Probability that something goes wrong with a request; 0 delivers all of them within a few milliseconds. */
  faults: number;
}

const FAULTS = ['request lost', 'answer lost', 'doubled', 'late', 'slow', 'refused'] as const;
const LATEST_MS = 20_000;

/**
 * A network that loses, doubles, delays and reorders requests and answers, by the numbers that `next` gives.
 *
 * `late`: the sender learns that the connection broke, and the request is delivered after that, perhaps after later ones.
 * `doubled`: it is delivered twice, and one of the two answers arrives.
 */
export function createNetwork(next: () => number): Network {
  const quick = () => 0.2 + next() * 3;
  const broken = () => new Unreachable('the connection broke');

  const network: Network = {
    faults: 0,
    send(deliver, sender) {
      const at = (ms: number, call: () => void) => void setTimeout(call, ms);
      const carry = (ms: number, isHeard: boolean) =>
        at(ms, () => {
          let outcome: () => void;
          try {
            const answer = deliver();
            outcome = () => sender.answered(answer);
          } catch (error) {
            outcome = () => sender.failed(error);
          }
          if (isHeard) at(quick(), outcome);
        });
      const fault = next() < network.faults ? FAULTS[Math.floor(next() * FAULTS.length)] : undefined;
      switch (fault) {
        case undefined:
          return carry(quick(), true);
        case 'request lost':
          return at(quick() + next() * 2_000, () => sender.failed(broken()));
        case 'refused':
          return at(quick(), () => sender.failed(broken()));
        case 'answer lost':
          carry(quick(), false);
          return at(10 + next() * 2_000, () => sender.failed(broken()));
        case 'doubled': {
          const first = next() < 0.5;
          carry(quick(), first);
          // Where only the second answer arrives, the sender waits for it.
          return carry(quick() + next() * (first ? LATEST_MS : 200), !first);
        }
        case 'late':
          at(quick(), () => sender.failed(broken()));
          return carry(quick() + next() * LATEST_MS, false);
        case 'slow':
          return carry(next() * LATEST_MS, true);
      }
    },
  };
  return network;
}
