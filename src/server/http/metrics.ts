import type { Hono, MiddlewareHandler } from 'hono';
import type { Permissions } from '../caller.ts';
import type { MetricsOptions } from '../metrics/metrics.ts';
import { type Answers, callerOf } from './answers.ts';
import { errorBody } from './errors.ts';
import { headersFor, JSON_TYPE } from './headers.ts';
import { respond } from './reply.ts';

/** Who may read them: those who may use the service, those who may use its routes for administrators, or anyone without a login. */
export type MetricsReaders = 'users' | 'administrators' | 'anyone' | 'off';

interface ServedMetrics extends MetricsOptions {
  readonly readers: MetricsReaders;
  readonly permissions: Permissions;
  /** Answers 401 to those who may not use the server; undefined where everybody may. */
  readonly identify: MiddlewareHandler<Answers> | undefined;
}

const PATH = '/metrics';
const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Serves the metrics at `/metrics`, where Prometheus looks for them. They have a rule of their own: figures of all workflows
 * are in them, and no name of a workflow, a job, a user or a host. What makes them is loaded by the first request.
 */
export function serveMetrics(root: Hono<Answers>, { readers, permissions, identify, ...options }: ServedMetrics): void {
  if (readers === 'off') return;
  if (readers !== 'anyone' && identify !== undefined) root.use(PATH, identify);
  let read: (() => string) | undefined;
  root.get(PATH, async (context) => {
    try {
      if (readers !== 'anyone')
        permissions.checkCaller(readers === 'users' ? 'user' : 'administrator', 'metrics', callerOf(context));
      read ??= (await import('../metrics/metrics.ts')).createMetrics(options);
      return respond(read(), 200, headersFor(context, TEXT_TYPE));
    } catch (error) {
      const { status, body, headers } = errorBody(error);
      return respond(JSON.stringify(body), status, { ...headersFor(context, JSON_TYPE), ...headers });
    }
  });
}
