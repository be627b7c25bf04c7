// Sends requests byte for byte: clients of HTTP libraries would refuse or change some of the equivalence cases.

import { connect } from "node:net";
import type { CaseRequest } from "@homeostat/routing/equivalence";
import { type Received, receivedHeader } from "./upstreams.ts";

/** The response of Envoy. */
export interface RawResponse {
  readonly status: number;
  /** The request as the upstream received it; undefined if Envoy responded itself. */
  readonly received: Received | undefined;
  /** Status line and headers. */
  readonly head: string;
}

/** Sends the request of a case to a port of the loopback interface. */
export async function sendRaw(port: number, { method, path, headers }: CaseRequest): Promise<RawResponse> {
  const fields = [["host", "cart.shop"], ...headers, ["connection", "close"]];
  const lines = [`${method} ${path} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)];
  const head = await exchange(port, `${lines.join("\r\n")}\r\n\r\n`);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? "0");
  const json = new RegExp(`^${receivedHeader}: (.*)$`, "m").exec(head)?.[1];
  return { status, received: json === undefined ? undefined : (JSON.parse(json) as Received), head };
}

/** Returns the head of the response. Envoy keeps a connection open for a second after the response, so that its end is not waited for. */
async function exchange(port: number, message: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect({ host: "127.0.0.1", port }, () => socket.write(message, "latin1"));
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      text += chunk;
      if (text.includes("\r\n\r\n")) socket.destroy();
    });
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no response within 10 s; received: ${text}`)));
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });
}
