import { ArgumentError, HomeostatError } from "@homeostat/core";

/** What is told of an error in one line; undefined for one that nobody thought of, which is shown whole. */
export function failureText(error: unknown): string | undefined {
  // It names the option of the library; here there is a word for it.
  if (error instanceof ArgumentError) return error.message.replace("set isOpenToNetwork", "add --open-to-network");
  if (error instanceof HomeostatError) return error.message;
  return isSystemError(error) ? systemText(error) : undefined;
}

/** An error of the system, such as a port that is taken. */
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
  const place = `${String(address)}:${String(port)}`;
  switch (code) {
    case "EADDRINUSE":
      return `${place} is taken by another program. Choose another --port, or leave it away for a free one.`;
    case "EACCES":
      return `${place} may not be used without more rights. Choose a --port from 1024 on.`;
    default:
      return message;
  }
}
