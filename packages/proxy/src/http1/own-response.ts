import { STATUS_CODES } from "node:http";

/** A response of the proxy itself. */
export interface OwnResponse {
  readonly status: number;
  readonly headers?: readonly (readonly [name: string, value: string])[] | undefined;
  /** Plain text in ASCII. */
  readonly body: string;
  /** True if the request has the method HEAD. */
  readonly isHead?: boolean | undefined;
  /** True if the connection is closed after it. */
  readonly isLast: boolean;
}

/** Returns the bytes of a response of the proxy itself, as latin1 text. */
export function ownResponse({ status, headers = [], body, isHead = false, isLast }: OwnResponse): string {
  let text = statusLine(status, STATUS_CODES[status] ?? "");
  for (const [name, value] of headers) text += `${name}: ${value}\r\n`;
  // These have no body by their status.
  const isEmpty = status === 204 || status === 304;
  if (!isEmpty) text += `content-type: text/plain\r\ncontent-length: ${body.length}\r\n`;
  if (isLast) text += "connection: close\r\n";
  return `${text}\r\n${isHead || isEmpty ? "" : body}`;
}

/** Returns the first line of a response. */
export function statusLine(status: number, reason: string): string {
  return `HTTP/1.1 ${status} ${reason}\r\n`;
}
