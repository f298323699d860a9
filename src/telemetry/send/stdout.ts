import { packetSender, topicOf } from './packet.ts';
import type { Sink } from './sink.ts';

/** Prints each message on a line, with its topic, key and client, as a broker would get them. */
export const createStdoutSink = (print: (line: string) => void, prefix: string): Sink => ({
  send(packet) {
    const address = { topic: topicOf(packet, prefix), key: packet.node, client: packetSender(packet) };
    print(`${JSON.stringify(address).slice(0, -1)},"value":${packet.text}}`);
  },
  close: () => Promise.resolve(),
});
