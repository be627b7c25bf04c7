import { ArgumentError, HomeostatError } from "@homeostat/core";

/** Returns a one-line message for an expected error; undefined for any other, which is printed with its stack. */
export function failureText(error: unknown): string | undefined {
  // The library's message names its option; users of the command line need the flag.
  if (error instanceof ArgumentError) return error.message.replace("set isOpenToNetwork", "add --open-to-network");
  if (error instanceof HomeostatError) return error.message;
  return isSystemError(error) ? systemText(error) : undefined;
}

/** Error of a system call, such as EADDRINUSE. */
interface SystemError extends Error {
  readonly syscall: unknown;
  readonly code?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && "syscall" in error;
}

function systemText({ message, syscall, code, address, port }: SystemError): string {
  if (syscall !== "listen") return message;
  const endpoint = `${String(address)}:${String(port)}`;
  switch (code) {
    case "EADDRINUSE":
      return `${endpoint} is already in use. Choose another --port, or omit it to use a free port.`;
    case "EACCES":
      return `Listening on ${endpoint} requires more privileges. Choose a --port of 1024 or above.`;
    default:
      return message;
  }
}
