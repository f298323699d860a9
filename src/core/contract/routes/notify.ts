import * as z from 'zod';
import { ClaimedMessages, MessageClaim, MessageEnd, StoredMessage } from '../notify.ts';
import { flag, page, paging, queryInteger, text } from '../shape.ts';
import { type Route, route, workflowRoute } from './route.ts';

/** Messages about a workflow (additions). */
export const notifyRoutes = {
  listMessages: workflowRoute('GET', '/workflows/{id}/messages', 'read', {
    says: 'The messages about a workflow, whether they were sent, and the receivers of the server, or those of them with a fingerprint as in a claim (addition).',
    query: z.object({ ...paging, fingerprint: text.optional() }),
    reply: page(StoredMessage).extend({ receivers: z.array(text) }),
  }),
  claimMessages: workflowRoute('POST', '/workflows/{id}/messages/claim', 'own', {
    says: 'Claim the messages that a command sends to one of its receivers: no other command gets the same ones (addition).',
    body: MessageClaim,
    reply: ClaimedMessages,
  }),
  endMessage: route('POST', '/workflows/{id}/messages/{message_id}/end', 'write', 'workflow in path', {
    says: 'Report whether a claimed message was sent (addition).',
    params: z.object({ id: queryInteger, message_id: queryInteger }),
    body: MessageEnd,
    reply: z.object({ ended: flag }),
  }),
  wantMessages: workflowRoute('POST', '/workflows/{id}/messages/wanted', 'write', {
    says: 'Have the server send messages about this workflow to one of its receivers (addition).',
    body: z.object({ receiver: text }),
    reply: z.object({ receiver: text }),
  }),
} as const satisfies Record<string, Route>;
