import { after } from '../../../client/long-timers.ts';
import { type KafkaMessage, reasonOf } from './library.ts';

/** No more messages come from the broker over this connection. */
export class StreamFailed extends Error {}

/** The messages of a stream, waited for only so long. One request to the stream is open at a time, however often is waited. */
export class Arrivals {
  readonly #messages: AsyncIterator<KafkaMessage>;
  #arrived: { readonly message: KafkaMessage } | { readonly failure: StreamFailed } | undefined;
  #isAsked = false;
  #wake: () => void = () => {};

  constructor(messages: AsyncIterable<KafkaMessage>) {
    this.#messages = messages[Symbol.asyncIterator]();
  }

  /** The next message, or undefined if none came in time. Throws: `StreamFailed`. */
  async next(waitMs: number): Promise<KafkaMessage | undefined> {
    if (!this.#isAsked) this.#ask();
    if (this.#arrived === undefined)
      await new Promise<void>((resolve) => {
        const timer = after(waitMs, resolve);
        this.#wake = () => {
          timer.cancel();
          resolve();
        };
      });
    const arrived = this.#arrived;
    if (arrived === undefined) return undefined;
    if ('failure' in arrived) throw arrived.failure;
    this.#arrived = undefined;
    this.#isAsked = false;
    return arrived.message;
  }

  #ask(): void {
    this.#isAsked = true;
    void this.#messages
      .next()
      .then(
        ({ done, value }) => {
          this.#arrived =
            done === true
              ? { failure: new StreamFailed('the broker closed the connection') }
              : { message: value as KafkaMessage };
        },
        (cause: unknown) => {
          this.#arrived = { failure: new StreamFailed(reasonOf(cause), { cause }) };
        },
      )
      .then(() => this.#wake());
  }
}
