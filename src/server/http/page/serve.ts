import type { Context, Hono } from 'hono';
import type { Answers } from '../answers.ts';
import { acceptedEncoding } from '../compress.ts';
import { variesByEncoding } from '../headers.ts';
import { FRONT_PAGE } from '../front-page.ts';
import type { LoadPage, PageFile } from './load.ts';

/**
 * What the page may do: its own script and style, and requests to its own server. Nothing is written in the document itself, so
 * text that becomes markup by mistake could not run.
 */
const policyOf = (frameOrigins: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameOrigins.length === 0 ? "'none'" : ["'self'", ...frameOrigins].join(' ')}`,
  ].join('; ');

interface PageOptions {
  /** Without it, users get a text about this server. */
  readonly load: LoadPage | undefined;
  /** Origins whose pages may show this one in a frame: a portal of the site. Another page could make its user click on ours. */
  readonly frameOrigins?: readonly string[] | undefined;
  readonly onNotice?: ((words: string, facts: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** Serves the page at `/` and `/dashboard`, and its files beside it. Nothing of it depends on who asks. */
export function servePage(root: Hono<Answers>, { load, frameOrigins = [], onNotice }: PageOptions): void {
  const framing = {
    'Content-Security-Policy': policyOf(frameOrigins),
    // It cannot name other origins; browsers that know the policy do not need it.
    ...(frameOrigins.length === 0 ? { 'X-Frame-Options': 'DENY' } : {}),
  };
  const plain = (context: Context<Answers>) => context.html(FRONT_PAGE);
  if (load === undefined) {
    for (const path of ['/', '/dashboard', '/dashboard/']) root.get(path, plain);
    return;
  }
  const document = async (context: Context<Answers>) => {
    try {
      const file = (await load()).get('index.html');
      return file === undefined ? plain(context) : reply(context, file, { ...framing, 'Cache-Control': 'no-cache' });
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
    return reply(context, file, { ...framing, 'Cache-Control': 'public, max-age=31536000, immutable' });
  });
}

function reply(
  context: Context<Answers>,
  { type, bytes, encoded }: PageFile,
  headers: Readonly<Record<string, string>>,
): Response {
  const encoding = acceptedEncoding(context.req.header('accept-encoding'));
  return context.body(encoding === undefined ? bytes : encoded[encoding], 200, {
    ...headers,
    'Content-Type': type,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    Vary: variesByEncoding(context),
    ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
  });
}
