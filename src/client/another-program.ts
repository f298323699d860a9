import { printable } from '../core/text/printable.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  /** Where a redirect leads to. */
  readonly location?: string | undefined;
}

/**
 * What a portal or a proxy replied in place of the server, for a sentence: a redirect, or a page with its title. Undefined for what may
 * be a reply of the server.
 */
export function anotherProgram({ status, text, location }: HttpAnswer): string | undefined {
  if (status >= 300 && status < 400)
    return location === undefined ? 'a redirect' : `a redirect to ${placeWords(location)}`;
  if (!/^\s*<(?:!doctype|html|head|\?xml)/i.test(text)) return undefined;
  const title = printable((/<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? '').replaceAll(/\s+/g, ' ')).trim();
  return title === '' ? 'a page' : `a page ("${title.slice(0, MOST_TITLE)}")`;
}

const MOST_TITLE = 80;

/** Without what may be secret there: a login, and a query with a token. */
function placeWords(location: string): string {
  const [place = ''] = printable(location).split(/[?#]/, 1);
  return place.replace(/^(\w+:\/\/)[^/@]*@/, '$1').slice(0, 200);
}
