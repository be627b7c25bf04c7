import { HomeostatError } from "@homeostat/core";

/** Thrown when the files of the page are missing: the repository was compiled, but not built. */
export class PageMissingError extends HomeostatError {
  readonly code = "PAGE_MISSING";
}

/** Thrown for a request that is not valid. The response has its status and message. */
export class RequestError extends HomeostatError {
  readonly code = "DASHBOARD_REQUEST";
  readonly status: number;
  /** Set if another login helps. */
  readonly login: "token" | undefined;

  constructor(status: number, message: string, options: ErrorOptions & { readonly login?: "token" } = {}) {
    super(message, options);
    this.status = status;
    this.login = options.login;
  }
}
