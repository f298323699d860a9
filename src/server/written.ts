import type { Part } from '../thread/packed.ts';

/** What is made of a long reply at once. */
export interface WrittenPiece {
  readonly parts: readonly Part[];
  readonly isEnd: boolean;
}

/** The memory of a long reply, from its begin until its client has it. */
export interface HeldReply {
  /** So much of it may be kept as it is. */
  readonly plainBytes: number;
  /** So many bytes more are kept for it. */
  add(bytes: number): void;
  /** So many of them were sent, as so many bytes of text. */
  sent(bytes: number, textBytes: number): void;
  /** As much is kept for it as may be: the rest is made while the client reads. */
  readonly isFull: boolean;
  /** It was sent, or its client left. */
  readonly isOver: boolean;
  /** All of it is made, or as much as will be: another one may be. */
  made(): void;
  /** It is sent from now on, and its client must read. */
  begin(): void;
  end(): void;
  whenMade(act: () => void): void;
  whenOver(act: () => void): void;
}

/** A long reply as text. What is made of it is in `parts`, from which it is sent. */
export class Written {
  readonly parts: Part[];
  readonly held: HeldReply | undefined;
  /** Makes more and adds it to `parts`; undefined where all is there. */
  more: (() => Promise<void>) | undefined;
  constructor(parts: Part[], held?: HeldReply, more?: () => Promise<void>) {
    this.parts = parts;
    this.held = held;
    this.more = more;
  }
}

/** A reply that is text already, of any length. */
export class LongText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
