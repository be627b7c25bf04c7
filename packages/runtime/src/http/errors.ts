import { HomeostatError } from "@homeostat/core";

/** Thrown when a port cannot be listened on. */
export class ListenError extends HomeostatError {
  readonly code = "LISTEN";

  constructor({ host, port }: { readonly host: string | undefined; readonly port: number }, options: ErrorOptions) {
    const reason = options.cause instanceof Error ? options.cause.message : "unknown reason";
    super(
      `Cannot listen on port ${port}${host === undefined ? "" : ` of ${host}`}: ${reason}. Choose a free port, or end what uses it.`,
      options,
    );
  }

  // Whoever has the port may let it go.
  override get retryable(): boolean {
    return true;
  }
}
