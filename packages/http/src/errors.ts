import { type ErrorClass, HomeostatError } from "@homeostat/core";

/** The way in which a response cannot be used. */
export type HttpResponseProblem = "upgrade" | "interim" | "size" | "closed";

const messages: Readonly<Record<HttpResponseProblem, string>> = {
  upgrade: "The peer switched to another protocol, which the request did not ask for. Check the address.",
  interim: "The peer sent too many interim (1xx) responses. Check the address.",
  size: "The body of the response is too large. Check the address.",
  closed: "The peer closed the connection without a response. Retry the request.",
};

/** Thrown when a peer sends something that is not a usable response to the request. The connection is closed. */
export class HttpResponseError extends HomeostatError {
  readonly code = "HTTP_RESPONSE";
  readonly problem: HttpResponseProblem;

  constructor(problem: HttpResponseProblem, options?: ErrorOptions) {
    super(messages[problem], options);
    this.problem = problem;
  }

  override get retryable(): boolean {
    return true;
  }

  override get errorClass(): ErrorClass {
    return this.problem === "closed" ? "transient" : "unknown";
  }
}
