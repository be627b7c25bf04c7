import { HomeostatError } from "./error.ts";

/** Thrown when a server cannot listen on a port. */
export class ListenError extends HomeostatError {
  readonly code = "LISTEN";
  readonly port: number;

  /** @param failure `purpose` names what the port serves, such as `webhooks`, to help to find the right flag. */
  constructor(
    {
      host,
      port,
      purpose,
    }: { readonly host?: string | undefined; readonly port: number; readonly purpose?: string | undefined },
    options: ErrorOptions,
  ) {
    const reason = options.cause instanceof Error ? options.cause.message : "unknown reason";
    const address = `port ${port}${host === undefined ? "" : ` of ${host}`}`;
    super(
      `Cannot listen on ${address}${purpose === undefined ? "" : ` for ${purpose}`}: ${reason}. ` +
        "Choose a free port, or stop the process that uses it.",
      options,
    );
    this.port = port;
  }

  // The process that uses the port may exit.
  override get retryable(): boolean {
    return true;
  }
}
