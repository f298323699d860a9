import type { StreamEventType } from '../../core/contract/event.ts';
import { type Change, severityOf } from '../store/changes.ts';

const texts = new WeakMap<Change, string[]>();

/** The events of a change as text: the same for all clients, so it is written once. */
export function textsOf(change: Change): string[] {
  let found = texts.get(change);
  if (found === undefined) {
    const { id, workflow_id: workflowId, at_ms: atMs, event_type: type, entries } = change;
    found = entries.map((entry, index) => eventText(`${id}.${index}`, workflowId, atMs, type, entry));
    texts.set(change, found);
  }
  return found;
}

/** One event in the format of the protocol. */
export function eventText(id: string, workflowId: number, atMs: number, type: StreamEventType, entry: unknown): string {
  const event = { workflow_id: workflowId, timestamp: atMs, event_type: type, severity: severityOf(type), data: entry };
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
}
