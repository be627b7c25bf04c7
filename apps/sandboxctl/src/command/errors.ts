import {
  exitCodeOf,
  ForbiddenError,
  HomeostatError,
  InvalidError,
  NotFoundError,
  UnauthorizedError,
} from "@homeostat/core";

/** Exit codes. Scripts rely on them. */
export const exitCodes = { done: 0, error: 1, usage: 2, refused: 3, timeout: 4, notFound: 5 } as const;

/** The meanings of exit codes. */
export const exitCodeTexts: Readonly<Record<number, string>> = {
  0: "done",
  1: "error",
  2: "invalid command line or file",
  3: "refused or not allowed",
  4: "timed out",
  5: "not found",
  127: "the command to run cannot be started",
  130: "interrupted",
  143: "terminated by SIGTERM",
};

/** An error that a command reports with a specific exit code. */
export class CommandError extends HomeostatError {
  readonly code = "COMMAND_FAILED";
  readonly exitCode: number;

  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Codes of errors with which a tunnel server refuses this machine permanently. */
const tunnelRefusals: ReadonlySet<string> = new Set(["TUNNEL_ATTACH_REFUSED", "TUNNEL_VERSION", "TUNNEL_UNTRUSTED"]);

/** Returns the exit code of an error. */
export function exitCodeOfError(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  // The API server refuses objects that break a rule of their kind with 422, and those that a webhook or policy denies with 403.
  const isRefused =
    error instanceof ForbiddenError || error instanceof UnauthorizedError || error instanceof InvalidError;
  if (isRefused) return exitCodes.refused;
  // Compared by code: the tunnel is loaded by few commands only.
  if (error instanceof HomeostatError && tunnelRefusals.has(error.code)) return exitCodes.refused;
  if (error instanceof NotFoundError) return exitCodes.notFound;
  return exitCodeOf(error);
}

/** Next steps by code of a system error. */
const systemHints: Readonly<Record<string, string>> = {
  EADDRINUSE: "Stop the process that listens there, or choose another port",
  EADDRNOTAVAIL: "Choose an address of this machine",
  EACCES: "Check your permissions",
  EPERM: "Check your permissions",
  ENOSPC: "Free space on the disk",
};

/** Returns the message of an error of the operating system, with a next step; undefined for other errors, which are defects of this program. */
export function systemErrorText(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  return `${error.message}. ${systemHints[String(error.code)] ?? "Check the path or address"}.`;
}
