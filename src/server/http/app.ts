import { Hono } from 'hono';
import { BASE_PATH } from '../../core/contract/base-path.ts';
import { openApiDocument } from '../../core/contract/openapi.ts';
import { type RouteName, routes } from '../../core/contract/routes.ts';
import { actHandlers } from '../act/handlers.ts';
import { allocateHandlers } from '../allocate/handlers.ts';
import { artifactHandlers } from '../artifact/handlers.ts';
import { claimHandlers } from '../claim/handlers.ts';
import { exchangeHandlers } from '../exchange/handlers.ts';
import { recoverHandlers } from '../recover/handlers.ts';
import { reportHandlers } from '../report/handlers.ts';
import { resultHandlers } from '../result/handlers.ts';
import { reviseHandlers } from '../revise/handlers.ts';
import type { Handlers } from '../store/handlers.ts';
import type { Store } from '../store/store.ts';
import { shareHandlers } from '../share/handlers.ts';
import { submitHandlers } from '../submit/handlers.ts';
import { guard } from './access.ts';
import { bind } from './bind.ts';
import { errorBody } from './errors.ts';
import { serveEvents } from './event-stream.ts';

interface AppOptions {
  /** When set, only requests that carry it are answered. */
  readonly credential?: string | undefined;
  /** Hears of errors that are not refusals: bugs, and the disk. */
  readonly onError: (error: unknown) => void;
}

/** The service as a function from requests to responses, over an open store. */
export function createApp(store: Store, { credential, onError }: AppOptions): Hono {
  const handlers: Handlers = {
    ...reportHandlers(store),
    ...submitHandlers(store),
    ...artifactHandlers(store),
    ...allocateHandlers(store),
    ...claimHandlers(store),
    ...resultHandlers(store),
    ...recoverHandlers(store),
    ...exchangeHandlers(store),
    ...shareHandlers(store),
    ...actHandlers(store),
    ...reviseHandlers(store),
  };

  const app = new Hono().basePath(BASE_PATH);
  app.onError((error, context) => {
    const { status, body } = errorBody(error);
    if (status >= 500) onError(error);
    return context.json(body, status);
  });
  app.use(async (context, next) => {
    context.header('X-Span-ID', context.req.header('x-span-id') ?? String(process.hrtime.bigint()));
    context.header('X-Content-Type-Options', 'nosniff');
    context.header('X-Frame-Options', 'DENY');
    await next();
  });
  if (credential !== undefined) app.use(guard(credential));

  let document: object | undefined;
  app.get('/openapi.json', (context) => context.json((document ??= openApiDocument())));
  for (const name of Object.keys(routes) as RouteName[]) {
    if (name === 'streamEvents') serveEvents(app, store);
    else bind(app, store, name, handlers[name]);
  }
  return app;
}
