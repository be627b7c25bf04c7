import { nameKinds, pseudoKindMax } from "../hpack/field-names.ts";
import type { FieldTable } from "../hpack/field-table.ts";
import { readContentLength } from "./request-head.ts";

/** Facts about the head of a response that decide on what follows it. */
export interface ResponseHead {
  readonly status: number;
  /** Declared length of the body, or -1. */
  readonly contentLength: number;
  readonly isEventStream: boolean;
}

/** Checks the fields of a response. Returns a text that names the problem if the response is malformed. */
export function readResponseHead(table: FieldTable): ResponseHead | string {
  if (table.problem !== undefined) return table.problem;
  let status = 0;
  let contentLength = -1;
  let isEventStream = false;
  for (let index = 0; index < table.count; index += 1) {
    const kind = table.kindAt(index);
    if (kind === nameKinds.status) {
      if (status !== 0) return ":status is repeated";
      const value = table.valueAt(index);
      status = /^[1-9]\d\d$/.test(value) ? Number(value) : 0;
      if (status === 0) return ":status is invalid";
    } else if (kind === nameKinds.contentLength) {
      if (contentLength !== -1) return "content-length is repeated";
      contentLength = readContentLength(table.valueAt(index));
      if (contentLength === -1) return "content-length is invalid";
    } else if (kind !== nameKinds.regular && kind <= pseudoKindMax) return "a response has a field of requests";
    else if (table.nameAt(index) === "content-type")
      isEventStream = table.valueAt(index).startsWith("text/event-stream");
  }
  if (status === 0) return ":status is missing";
  if (status === 101) return "status 101 does not exist in HTTP/2";
  return { status, contentLength, isEventStream };
}

/** Checks the fields of trailers. Returns a text that names the problem, or undefined. */
export function trailersProblem(table: FieldTable): string | undefined {
  if (table.problem !== undefined) return table.problem;
  for (let index = 0; index < table.count; index += 1) {
    const kind = table.kindAt(index);
    if (kind !== nameKinds.regular && kind <= pseudoKindMax) return "trailers have a pseudo-header field";
  }
  return undefined;
}
