export interface Response {
  readonly status: number;
  readonly text: string;
}

/** There was no answer, so nobody knows whether the request was carried out. */
export class Unreachable extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'Unreachable';
  }
}

/** The service said no, or failed. `code` is a refusal's, where the answer named one. */
export class ServiceError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly remedy: string | undefined;
  readonly text: string;

  constructor(doing: string, { status, text }: Response) {
    const told = toldBy(text);
    const reason = REASONS[status];
    super(`API error while ${doing} (status: ${status}${reason === undefined ? '' : ` ${reason}`}): ${told.message}`);
    this.name = 'ServiceError';
    this.status = status;
    this.code = told.code;
    this.remedy = told.remedy ?? REMEDIES[status];
    this.text = text;
  }
}

/** For answers that come without one: from the door of the server, or from a proxy before it. */
const REMEDIES: Readonly<Record<number, string>> = {
  401: 'Log in: set TORC_USERNAME and TORC_PASSWORD, or give --prompt-password.',
};

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Entity',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

function toldBy(text: string): { message: string; code?: string; remedy?: string } {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: string; code?: string; remedy?: string } };
    if (error?.message !== undefined) return { ...error, message: error.message };
  } catch {
    // Not JSON: a proxy or another program answered, and its words are all there is.
  }
  return { message: text === '' ? 'no explanation' : text.slice(0, 500) };
}
