import type { Answering } from '../answering.ts';

/** What is kept of the output of a login shell: enough to recognize it. */
const MOST_NOISE = 4096;

export interface ScriptCallOptions {
  /** What the script says first. */
  readonly greeting: string;
  /** What is sent to it then. */
  readonly args: string;
  /** What is sent when `after` stands in its output. */
  readonly request: RequestOfCall | undefined;
  readonly onBegin: () => void;
  /** Gets what the script prints. */
  readonly onBytes: (bytes: Buffer) => void;
}

export interface RequestOfCall {
  readonly text: string;
  readonly after: string;
  readonly onSent: () => void;
}

/**
 * One call of a script on a host, as its output comes: what the login shell prints, the greeting, and the output of the script.
 *
 * Nothing is sent before the greeting. The input is closed behind the last that is sent.
 */
export class ScriptCall {
  readonly #options: ScriptCallOptions;
  #hasBegun = false;
  #hasSent = false;
  /** Of the login shell; later what the script printed before it asked for the request. */
  #before = Buffer.alloc(0);

  constructor(options: ScriptCallOptions) {
    this.#options = options;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** The end of what was printed before the greeting. */
  get noise(): string {
    return this.#hasBegun ? '' : this.#before.toString('utf8');
  }

  take(bytes: Buffer, input: Answering): void {
    if (this.#hasBegun) return this.#takeOutput(bytes, input);
    const { greeting, args, request, onBegin } = this.#options;
    const all = Buffer.concat([this.#before, bytes]);
    const at = all.indexOf(greeting);
    if (at < 0) {
      this.#before = all.subarray(-MOST_NOISE);
      return;
    }
    this.#hasBegun = true;
    this.#before = Buffer.alloc(0);
    onBegin();
    input.write(args);
    if (request === undefined) input.end();
    const rest = all.subarray(at + greeting.length);
    if (rest.length > 0) this.#takeOutput(rest, input);
  }

  #takeOutput(bytes: Buffer, input: Answering): void {
    const { request, onBytes } = this.#options;
    onBytes(bytes);
    if (request === undefined || this.#hasSent) return;
    this.#before = Buffer.concat([this.#before, bytes]);
    if (!this.#before.includes(request.after)) {
      this.#before = this.#before.subarray(-MOST_NOISE);
      return;
    }
    this.#hasSent = true;
    request.onSent();
    input.write(request.text);
    input.end();
  }
}
