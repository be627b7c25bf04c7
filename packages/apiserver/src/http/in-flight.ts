import { isLongRunning } from "../request/request-info.ts";
import { type Handler, textError, type BufferedResponse } from "./handler.ts";

/** Returns the response to a request above the limit, as kube-apiserver sends it. */
function tooMany(): BufferedResponse {
  const response = textError(429, "Too many requests, please try again later.");
  return { ...response, headers: { ...response.headers, "Retry-After": "1" } };
}

/** Wraps a handler so that at most `max` requests run at a time. Others get a 429. Watches and streams do not count. */
export function limitInFlight(handler: Handler, max: number): Handler {
  let running = 0;
  return async (request, signal) => {
    if (isLongRunning(request.info)) return handler(request, signal);
    if (running >= max) return tooMany();
    running += 1;
    try {
      return await handler(request, signal);
    } finally {
      running -= 1;
    }
  };
}
