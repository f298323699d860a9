import type { Reply } from '../../core/contract/routes.ts';
import { isUnknownRoute } from '../../client/compat/unknown-route.ts';
import type { Digest } from '../../core/notify/digest.ts';
import { openWorkflow } from '../choose/choose-workflow.ts';
import { type Command, command } from '../command/command.ts';
import { Failure, UsageError } from '../command/failure.ts';
import type { Column } from '../output/table.ts';
import { localTime } from '../output/local-time.ts';
import { allRows, rangeOptions } from '../records/paging.ts';
import { chosenReceivers, receiversIn } from '../notify/receivers.ts';

/** What a test message says: it looks like one of a workflow, and names none. */
const testDigest = (user: string): Digest => ({
  version: 1,
  trigger: 'begin',
  workflow: { id: 0, name: 'test', user },
  run_id: 0,
  state: 'waiting',
  findings: [{ trigger: 'begin', sentence: 'this is a test: messages from torc arrive here' }],
  jobs: { completed: 0, failed: 0, stopped: 0, running: 0, not_run: 0 },
  wall_seconds: null,
  first_failure: null,
  at: new Date().toISOString(),
});

const notifyTest = command('notify test [receiver]', {
  says: 'Send a test message to every receiver of the configuration, to one of them, or to a URL.',
  more: 'Exits with 1 when one of them did not take it. For the receivers of a server, run it on its machine as its user.',
  example: 'ops',
  offline: true,
  async run({ configuration, settings, output, environment, exitWith }, [given]) {
    output.recordOnly('test');
    const known = receiversIn(configuration.notify);
    const { own, ofServer } = chosenReceivers(given === undefined ? [] : [given], known);
    const chosen = own.filter(({ isNamed }) => given === undefined || isNamed);
    if (ofServer[0] !== undefined)
      throw new UsageError(
        `the configuration has no receiver "${ofServer[0]}"; it has ${known.length === 0 ? 'none' : known.map(({ name }) => name).join(', ')}`,
      );
    const all = given === undefined ? known : chosen;
    if (all.length === 0)
      throw new Failure(
        'the configuration has no receiver of messages; docs/how-to/get-a-message.md shows how to add one',
      );
    const { sendMessage } = await import('../../cluster/notify/send.ts');
    const { randomBytes } = await import('../../cluster/random-bytes.ts');
    const rows = await Promise.all(
      all.map(async (receiver) => {
        const key = randomBytes(16).toString('hex');
        const outcome = await sendMessage(receiver, { key, digest: testDigest(settings.user) }, environment);
        const { name, kind } = receiver;
        return {
          receiver: name,
          kind,
          sent: outcome.kind === 'sent',
          ...(outcome.kind === 'sent' ? {} : { why: outcome.why }),
        };
      }),
    );
    const lines = rows.map((row) => `${row.receiver} (${row.kind}): ${row.sent ? 'sent' : `not sent: ${row.why}`}`);
    output.record('test', { items: rows }, lines.join('\n'));
    if (rows.some(({ sent }) => !sent)) exitWith(1);
  },
});

type Listed = Reply<'listMessages'>['items'][number];

const columns: readonly Column<Listed>[] = [
  { title: 'ID', value: ({ id }) => id, align: 'right' },
  { title: 'Run', value: ({ run_id: run }) => run, align: 'right' },
  { title: 'About', value: ({ trigger }) => trigger, importance: 8 },
  { title: 'Receiver', value: ({ receiver }) => receiver, cut: 'middle', importance: 9 },
  { title: 'State', value: ({ state }) => state, importance: 9 },
  { title: 'Attempts', value: ({ attempts }) => attempts, align: 'right' },
  { title: 'Due', value: ({ due_at: due }) => due, text: ({ due_at: due }) => localTime(Date.parse(due)) },
  { title: 'Problem', value: ({ problem }) => problem ?? '', cut: 'end' },
];

const notifyList = command('notify list <workflow>', {
  says: 'List the messages about a workflow: what each was about, who got it, and why one was not sent.',
  options: rangeOptions,
  async run(context, [given], options) {
    const { id, client } = await openWorkflow(context, given);
    let receivers: readonly string[] = [];
    const items = await allRows(options, async ({ offset, limit }) => {
      const page = await client.listMessages({ params: { id }, query: { offset, limit } });
      receivers = page.receivers;
      return page;
    }).catch((error: unknown) => {
      if (!isUnknownRoute(error)) throw error;
      throw new Failure('this server sends no messages, as Torc 1.0.0: `torc watch --notify` sends them', {
        cause: error,
      });
    });
    context.output.list({
      items,
      json: { items, receivers },
      things: 'messages',
      empty: `No messages about workflow ${id}`,
      columns,
    });
  },
});

export const notifyCommands: readonly Command[] = [notifyTest, notifyList];
