import { type ClientHttp2Session, constants } from "node:http2";
import type { Clock } from "@homeostat/core";
import type { RouteServerAddress } from "./route-connection.ts";

export interface PostOptions {
  readonly address: RouteServerAddress;
  readonly clock: Clock;
}

/** Time that the route server has to respond. */
const responseMs = 10_000;

/** Sends JSON on the connection of a stream. Resolves with the status of the response, or 0 if there is none. */
export function postJson(
  session: ClientHttp2Session,
  { path, body }: { readonly path: string; readonly body: unknown },
  { address, clock }: PostOptions,
): Promise<number> {
  return new Promise((resolve) => {
    let status = 0;
    const request = session.request(
      { ":method": "POST", ":path": path, authorization: `Bearer ${address.token}` },
      { endStream: false },
    );
    const timer = clock.schedule(responseMs, () => request.close(constants.NGHTTP2_CANCEL));
    request.on("response", (headers) => {
      status = headers[":status"] ?? 0;
    });
    request.on("error", () => undefined);
    request.on("close", () => {
      timer[Symbol.dispose]();
      resolve(status);
    });
    request.resume();
    request.end(JSON.stringify(body));
  });
}
