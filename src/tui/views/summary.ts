import { view } from './view.ts';

interface TextRow {
  readonly at: number;
  readonly text: string;
}

/** The same sentences as `torc status`. Commands stand as `torc …`: they reach the server of this screen with its options. */
export const summary = view<TextRow>({
  name: 'Summary',
  sign: '◆',
  columns: [{ title: '', text: ({ text }) => text, cut: 'end', importance: 9 }],
  sorts: [],
  filters: [],
  idOf: ({ at }) => at,
  async load(client, { workflowId, environment }) {
    // Loaded when it is shown: the first screen is there sooner.
    const { gatherStatus } = await import('../../operations/report/facts/status-facts.ts');
    const { statusLines, unservedLabelLines } = await import('../../operations/report/views/status.ts');
    const facts = await gatherStatus(client, workflowId, environment);
    const hint = (command: string) => command;
    const texts = [...statusLines(facts, hint), ...unservedLabelLines(facts, hint)];
    return { items: texts.map((text, at) => ({ at, text })), total_count: texts.length };
  },
});
