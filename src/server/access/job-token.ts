import { isSecret } from '../../cluster/secret.ts';
import { crypto } from './digest.ts';

/**
 * What the jobs of a workflow log in with where the server has a credential.
 *
 * It is derived, so that every command that knows the credential gives the same one and the server stores none; the
 * credential cannot be computed from it.
 */
export const jobTokenOf = (credential: string, workflowId: number): string =>
  `job-${workflowId}-${crypto().createHmac('sha256', credential).update(`torc-job ${workflowId}`).digest('base64url')}`;

/** The workflow whose jobs have this token; undefined for any other text. */
export function workflowOfToken(token: string, credential: string): number | undefined {
  const id = /^job-(\d{1,15})-/.exec(token)?.[1];
  return id !== undefined && isSecret(token, jobTokenOf(credential, Number(id))) ? Number(id) : undefined;
}
