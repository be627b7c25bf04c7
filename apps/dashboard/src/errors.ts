import { HomeostatError } from "@homeostat/core";

/** Thrown when the files of the page are missing: the repository was compiled, but not built. */
export class PageMissingError extends HomeostatError {
  readonly code = "PAGE_MISSING";
}

/** Thrown for a request that is not valid. The response has its status and message. */
export class RequestError extends HomeostatError {
  readonly code = "DASHBOARD_REQUEST";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
