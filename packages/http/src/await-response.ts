import type { ClientRequest, IncomingMessage } from "node:http";
import { HttpResponseError } from "./errors.ts";

/** The outcome of sending a request, reported once. */
export interface ResponseListener {
  response(message: IncomingMessage): void;
  /** Called with an error of the socket, or with an {@link HttpResponseError}. The request is destroyed. */
  failure(error: Error): void;
}

/** Number of interim responses that a request accepts. A server sends one or two: 100 Continue, 103 Early Hints. */
const interimMax = 16;

/**
 * Reports the response to a request, or why there is none, exactly once and whatever the peer sends.
 *
 * Node emits neither `response` nor `error` in three cases: 101 Switching Protocols (`upgrade`), the response to
 * CONNECT (`connect`), and a connection that closes without a response after the request was destroyed (`close`). A
 * caller that listens only for `response` and `error` waits forever. Interim responses reset Node's limit on headers,
 * so a peer could send them without end.
 *
 * Watches no signal and no clock: the caller destroys the request when its time is up, and gets a failure.
 */
export function awaitResponse(sending: ClientRequest, listener: ResponseListener): void {
  let isSettled = false;
  let interim = 0;
  const fail = (error: Error): void => {
    if (isSettled) return;
    isSettled = true;
    sending.destroy();
    listener.failure(error);
  };
  sending.on("response", (message) => {
    // Node treats 101 without an Upgrade header as a final response, and would keep the connection.
    if ((message.statusCode ?? 0) < 200) fail(new HttpResponseError("upgrade"));
    if (isSettled) {
      message.destroy();
      return;
    }
    isSettled = true;
    listener.response(message);
  });
  const switched = (_message: IncomingMessage, socket: { destroy(): void }): void => {
    // Node has detached the socket from the request, so destroying the request would leave it open.
    socket.destroy();
    fail(new HttpResponseError("upgrade"));
  };
  sending.on("upgrade", switched);
  sending.on("connect", switched);
  sending.on("information", () => {
    interim += 1;
    if (interim > interimMax) fail(new HttpResponseError("interim"));
  });
  // This listener stays after the response: an error without a listener ends the process.
  sending.on("error", fail);
  sending.on("close", () => fail(new HttpResponseError("closed")));
}
