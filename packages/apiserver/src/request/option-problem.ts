import { quote } from "@homeostat/cel";
import type { Problem, ProblemType } from "@homeostat/schema";
import { badRequestStatus, invalidStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";

/** Returns a 400 for a request that cannot be parsed. */
export function badRequest(message: string, options?: ErrorOptions): StatusError {
  return new StatusError(badRequestStatus(message), options);
}

/** Returns a 422 for invalid options, with all problems at once. */
export function invalidOptions(kind: string, problems: readonly Problem[]): StatusError {
  return new StatusError(invalidStatus({ group: "meta.k8s.io", kind }, "", problems));
}

/** Returns the problem of an option that must not be set. */
export function forbidden(path: string, detail: string): Problem {
  return problem("Forbidden", path, detail);
}

/** Returns the problem of an option that must be set. */
export function required(path: string, detail: string): Problem {
  return problem("Required", path, detail);
}

/** Returns the problem of an option that is too long. */
export function tooLong(path: string, bytesMax: number): Problem {
  return problem("TooLong", path, `may not be more than ${bytesMax} bytes`);
}

/** Returns the problem of a value, already formatted, that is not among the supported ones. */
export function notSupported(path: string, shown: string, supported: readonly string[]): Problem {
  return problem("NotSupported", path, `supported values: ${supported.map(quote).join(", ")}`, shown);
}

/** Returns the problem of an invalid value. */
export function invalidValue(path: string, value: string, detail: string): Problem {
  return problem("Invalid", path, detail, quote(value));
}

const titles: Partial<Record<ProblemType, string>> = {
  Forbidden: "Forbidden",
  Invalid: "Invalid value",
  NotSupported: "Unsupported value",
  Required: "Required value",
  TooLong: "Too long",
};

function problem(type: ProblemType, path: string, detail: string, shown?: string): Problem {
  const title = titles[type] ?? type;
  return { path, type, detail, message: `${title}: ${shown === undefined ? "" : `${shown}: `}${detail}` };
}
