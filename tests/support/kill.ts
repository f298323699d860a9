import { calls } from '../../src/client/calls.gen.ts';
import type { Client } from '../../src/client/client.ts';

/** A command that is killed with SIGKILL at its nth step that has an effect: before the effect, or after it. */
export class Kill {
  private steps = 0;
  private isDead = false;
  private die: () => void = () => {};
  readonly died = new Promise<'killed'>((resolve) => void (this.die = () => resolve('killed')));
  readonly at: number;
  readonly isAfter: boolean;
  constructor(at: number, isAfter: boolean) {
    this.at = at;
    this.isAfter = isAfter;
  }

  /** Number of steps that were taken. */
  get taken(): number {
    return this.steps;
  }

  /** What was sent before the kill arrives. */
  private readonly underWay = new Set<Promise<unknown>>();
  private sent<T>(request: Promise<T>): Promise<T> {
    this.underWay.add(request);
    return request;
  }
  async arrived(): Promise<void> {
    await Promise.allSettled(this.underWay);
  }

  /** The process dies now, whatever it is doing. */
  now(): void {
    this.isDead = true;
    this.die();
  }

  async step<T>(act: () => Promise<T>, hasEffect = true): Promise<T> {
    if (this.isDead) return new Promise(() => {});
    if (hasEffect) this.steps += 1;
    if (!hasEffect || this.steps !== this.at) return this.sent(act());
    this.isDead = true;
    if (this.isAfter) await act();
    this.die();
    return new Promise(() => {});
  }
}

/** The client of a process that dies: what only reads is no step. */
export const mortal = (client: Client, kill: Kill): Client =>
  Object.fromEntries(
    Object.entries(client).map(([name, call]) => [
      name,
      (input: never) => {
        const act = () => (call as (given: never) => Promise<unknown>)(input);
        return kill.step(act, calls[name as keyof typeof calls][0] !== 'GET');
      },
    ]),
  ) as unknown as Client;
