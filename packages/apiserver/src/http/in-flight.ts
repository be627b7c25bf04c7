import { isLongRunning } from "../request/request-info.ts";
import { type Handler, textError, type WholeAnswer } from "./handler.ts";

/** What the server says when it has too much to do. */
function tooMany(): WholeAnswer {
  const answer = textError(429, "Too many requests, please try again later.");
  return { ...answer, headers: { ...answer.headers, "Retry-After": "1" } };
}

/** A handler that lets no more than `max` requests run at a time, watches and streams aside, and refuses the rest with 429. */
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
