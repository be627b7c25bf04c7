import type { ForwardPlan } from "../router/route-plan.ts";
import type { RequestHead } from "./request-head.ts";

/**
 * Returns the head of a forwarded request, from the text of the received one: fields that the plan does not name keep their bytes and order.
 *
 * The framing is the engine's own matter: `transfer-encoding` and `content-length` are written in one spelling, whatever the plan says.
 */
export function requestText(head: RequestHead, plan: ForwardPlan, target: string): string {
  const { headers } = head;
  for (const name of plan.edits.remove) headers.drop(name);
  let added = "";
  for (const field of plan.edits.set) {
    headers.drop(field[0]);
    added += `${field[0]}: ${field[1]}\r\n`;
  }
  if (head.isChunked) {
    headers.drop("transfer-encoding");
    added += "transfer-encoding: chunked\r\n";
  } else if (head.contentLength !== -1) {
    headers.drop("content-length");
    added += `content-length: ${head.contentLength}\r\n`;
  }
  // Only a request of HTTP/1.0 has no host, and upstreams refuse HTTP/1.1 without one.
  if (head.authority === undefined) added += `host: ${target}\r\n`;
  return `${head.method} ${plan.path} HTTP/1.1\r\n${headers.text()}${added}\r\n`;
}
