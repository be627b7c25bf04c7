import { statusLine } from "./own-response.ts";
import type { ResponseHead } from "./response-head.ts";

type Fields = readonly (readonly [name: string, value: string])[];

/** The parts of a response head that depend on the connection with the client. */
export interface ResponseParts {
  readonly isChunked: boolean;
  /** True if the connection is closed after the response. */
  readonly isLast: boolean;
  /** Fields of the proxy. They replace fields with the same names. */
  readonly added: Fields;
}

/** Returns the head of a forwarded response. Fields that do not belong to the connection keep their bytes and order. */
export function responseText(head: ResponseHead, { isChunked, isLast, added }: ResponseParts): string {
  head.dropConnectionFields();
  let text = addedText(head, added);
  if (isChunked) text += "transfer-encoding: chunked\r\n";
  if (isLast) text += "connection: close\r\n";
  return `${statusLine(head.status, head.reason)}${head.headers.text()}${text}\r\n`;
}

/** Returns the head of a forwarded response 101. */
export function switchText(head: ResponseHead, added: Fields): string {
  const upgrade = head.headers.get("upgrade");
  head.dropConnectionFields();
  let text = addedText(head, added);
  if (upgrade !== undefined) text += `upgrade: ${typeof upgrade === "string" ? upgrade : upgrade.join(", ")}\r\n`;
  return `${statusLine(head.status, head.reason)}${head.headers.text()}${text}connection: upgrade\r\n\r\n`;
}

function addedText(head: ResponseHead, added: Fields): string {
  let text = "";
  for (const field of added) {
    head.headers.drop(field[0]);
    text += `${field[0]}: ${field[1]}\r\n`;
  }
  return text;
}
