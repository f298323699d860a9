import type { Hono } from 'hono';
import { type Input, routes } from '../../core/contract/routes.ts';
import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import type { Permissions } from '../caller.ts';
import type { Store } from '../records/store.ts';
import { type Answers, callerOf } from './answers.ts';
import { checkedHead } from './checked.ts';
import type { EventStreamOptions } from './event-stream.ts';
import { eventHeaders } from './headers.ts';
import type { HeldLogins } from './held-login.ts';
import { respond } from './reply.ts';
import { createStatusFeeds } from './status-feeds.ts';

interface StatusOptions extends EventStreamOptions {
  readonly statusOf: (workflowId: number) => Promise<WorkflowStatus>;
  readonly logins: HeldLogins;
}

/** The status of a workflow whenever it changes, as Server-Sent Events. It ends with the login of its client. */
export function serveStatus(
  app: Hono<Answers>,
  { find, changes }: Store,
  permissions: Permissions,
  { statusOf, logins, onDropped, stallMs }: StatusOptions,
): void {
  const { path } = routes.streamWorkflowStatus;
  const view = createStatusFeeds({ statusOf, onChange: changes.subscribe, onDropped, stallMs });
  app.get(path.replace('{id}', ':id'), (context) => {
    const { params } = checkedHead(routes.streamWorkflowStatus, context) as Input<'streamWorkflowStatus'>;
    find.workflow(params.id);
    const caller = callerOf(context);
    permissions.check('streamWorkflowStatus', { params, query: {}, body: {} }, caller);
    const isLoggedIn = logins.of(context);
    const stream = view({
      workflowId: params.id,
      isWelcome: () => isLoggedIn() && permissions.sees(caller, params.id),
      onRightsChanged: logins.onChange,
      cut: () => void context.env?.outgoing?.destroy(),
    });
    return respond(stream, 200, eventHeaders(context));
  });
}
