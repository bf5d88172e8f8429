import type { ServerResponse } from 'node:http';

/** The headers of every answer. None permits another origin to read it. */
const HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

const ERRORS = {
  400: 'the body of the request is not as expected',
  401: 'the key is missing or wrong',
  403: 'not allowed',
  404: 'not found',
  405: 'the method is not allowed',
  409: 'the state of the run does not allow it',
  413: 'the body of the request is too large',
  415: 'the body of the request must be application/json',
  500: 'an internal error',
  503: 'not available at the moment',
} as const;

/** The status of an answer without a document. */
export type ErrorStatus = keyof typeof ERRORS;

/** Begins an answer of a media type. */
export function begin(response: ServerResponse, status: number, type: string): void {
  response.writeHead(status, { ...HEADERS, 'Content-Type': type });
}

export function answer(response: ServerResponse, status: number, document: unknown): void {
  begin(response, status, 'application/json');
  response.end(`${JSON.stringify(document)}\n`);
}

/** Answers without a document. The connection of a request whose body is not read ends. */
export function answerError(response: ServerResponse, status: ErrorStatus): void {
  response.setHeader('Connection', 'close');
  if (status === 405) response.setHeader('Allow', 'GET, POST');
  answer(response, status, { error: ERRORS[status] });
}
