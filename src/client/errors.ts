export interface Response {
  readonly status: number;
  readonly text: string;
}

/** There was no reply, so it is unknown whether the request was executed. */
export class Unreachable extends Error {
  /** What a person can do about it, where the cause says so. */
  readonly remedy: string | undefined;

  constructor(message: string, options?: { cause?: unknown; remedy?: string | undefined }) {
    super(message, options);
    this.name = 'Unreachable';
    this.remedy = options?.remedy;
  }
}

/** The service refused or failed. `code` is the refusal's code, if the reply contained one. */
export class ServiceError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly remedy: string | undefined;
  readonly text: string;

  constructor(doing: string, { status, text }: Response) {
    const reported = reportedBy(text);
    const reason = REASONS[status];
    super(
      `API error while ${doing} (status: ${status}${reason === undefined ? '' : ` ${reason}`}): ${reported.message}`,
    );
    this.name = 'ServiceError';
    this.status = status;
    this.code = reported.code;
    this.remedy = reported.remedy ?? REMEDIES[status];
    this.text = text;
  }
}

/** For replies without a remedy: from a login check of the server, or from a proxy. */
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

function reportedBy(text: string): { message: string; code?: string; remedy?: string } {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: string; code?: string; remedy?: string } };
    if (error?.message !== undefined) return { ...error, message: error.message };
  } catch {
    // Not JSON: a proxy or another program replied; its text is the only information.
  }
  return { message: text === '' ? 'no explanation' : text.slice(0, 500) };
}
