import type * as z from 'zod';
import { accessRoutes } from './routes/access.ts';
import { adminRoutes } from './routes/admin.ts';
import { allocationRoutes } from './routes/allocation.ts';
import { artifactRoutes } from './routes/artifact.ts';
import { factRoutes } from './routes/facts.ts';
import { jobRoutes } from './routes/job.ts';
import { notifyRoutes } from './routes/notify.ts';
import { outcomeRoutes } from './routes/outcome.ts';
import { planRoutes } from './routes/plan.ts';
import { runnerRoutes } from './routes/runner.ts';
import { systemRoutes } from './routes/system.ts';
import { telemetryRoutes } from './routes/telemetry.ts';
import { viewRoutes } from './routes/view.ts';
import { workflowRoutes } from './routes/workflow.ts';

export type { Route } from './routes/route.ts';

/** All routes of the service: server, client, OpenAPI document and reference page are built from this table. */
export const routes = {
  ...systemRoutes,
  ...workflowRoutes,
  ...planRoutes,
  ...jobRoutes,
  ...runnerRoutes,
  ...artifactRoutes,
  ...outcomeRoutes,
  ...allocationRoutes,
  ...accessRoutes,
  ...adminRoutes,
  ...factRoutes,
  ...viewRoutes,
  ...notifyRoutes,
  ...telemetryRoutes,
};

export type Routes = typeof routes;
export type RouteName = keyof Routes;

type Shape<R, Part extends string> = R extends { readonly [K in Part]: infer T extends z.ZodType }
  ? z.output<T>
  : undefined;

/** The input of a handler of the route: checked path parameters, query and body. */
export interface Input<N extends RouteName> {
  readonly params: Shape<Routes[N], 'params'>;
  readonly query: Shape<Routes[N], 'query'>;
  readonly body: Shape<Routes[N], 'body'>;
}

export type Reply<N extends RouteName> = z.output<Routes[N]['reply']>;
