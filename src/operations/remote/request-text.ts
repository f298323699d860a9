import type { HostRequest } from '../../core/remote/remote-host.ts';

/** A request as it is sent to a host: its length in bytes, and its JSON. */
export function requestText(request: HostRequest): string {
  const json = JSON.stringify(request);
  return `${Buffer.byteLength(json)}\n${json}`;
}

/** The JSON of a request, or why there is none. No message contains a word of a request: it has the credential. */
export function requestJson(text: string): { readonly json: unknown } | { readonly fault: string } {
  const [, length, json = ''] = /^(\d{1,9})\n([^]*)$/.exec(text) ?? [];
  if (length === undefined) return { fault: 'the request has no length' };
  const bytes = Buffer.byteLength(json);
  if (bytes !== Number(length)) return { fault: `${bytes} of ${length} bytes of the request arrived` };
  try {
    return { json: JSON.parse(json) };
  } catch {
    return { fault: 'the request is not JSON' };
  }
}
