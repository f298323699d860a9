import type { Context, Hono } from 'hono';
import type { Answers } from '../answers.ts';
import { acceptedEncoding } from '../compress.ts';
import { FRONT_PAGE } from '../front-page.ts';
import type { LoadPage, PageFile } from './load.ts';

/**
 * What the page may do: its own script and style, and requests to its own server. Nothing is written in the document itself, so
 * text that becomes markup by mistake could not run.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface PageOptions {
  /** Without it, users get a text about this server. */
  readonly load: LoadPage | undefined;
  readonly onNotice?: ((words: string, facts: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** Serves the page at `/` and `/dashboard`, and its files beside it. Nothing of it depends on who asks. */
export function servePage(root: Hono<Answers>, { load, onNotice }: PageOptions): void {
  const plain = (context: Context<Answers>) => context.html(FRONT_PAGE);
  if (load === undefined) {
    for (const path of ['/', '/dashboard', '/dashboard/']) root.get(path, plain);
    return;
  }
  const document = async (context: Context<Answers>) => {
    try {
      const file = (await load()).get('index.html');
      return file === undefined ? plain(context) : reply(context, file, 'no-cache');
    } catch (error) {
      onNotice?.('The page cannot be served', { error: (error as Error).message });
      return plain(context);
    }
  };
  for (const path of ['/', '/dashboard']) root.get(path, document);
  // Addresses in the document are relative to the folder that it is in.
  root.get('/dashboard/', (context) => context.redirect('../dashboard', 302));
  root.get('/page/:name', async (context) => {
    const file = (await load().catch(() => undefined))?.get(context.req.param('name'));
    if (file === undefined) return context.text('There is no such file.', 404);
    // Their names change with their content.
    return reply(context, file, 'public, max-age=31536000, immutable');
  });
}

function reply(context: Context<Answers>, { type, bytes, encoded }: PageFile, caching: string): Response {
  const encoding = acceptedEncoding(context.req.header('accept-encoding'));
  return context.body(encoding === undefined ? bytes : encoded[encoding], 200, {
    'Content-Type': type,
    'Cache-Control': caching,
    'Content-Security-Policy': POLICY,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    Vary: 'Accept-Encoding',
    ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
  });
}
