import { quote } from "@homeostat/cel";
import type { Problem, ProblemType } from "@homeostat/schema";
import { badRequestStatus, invalidStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";

/** A request that cannot be understood: 400. */
export function badRequest(message: string, options?: ErrorOptions): StatusError {
  return new StatusError(badRequestStatus(message), options);
}

/** Options that break rules: 422, all of them at once. */
export function invalidOptions(kind: string, problems: readonly Problem[]): StatusError {
  return new StatusError(invalidStatus({ group: "meta.k8s.io", kind }, "", problems));
}

/** An option that may not be given. */
export function forbidden(path: string, detail: string): Problem {
  return problem("Forbidden", path, detail);
}

/** An option that must be given. */
export function required(path: string, detail: string): Problem {
  return problem("Required", path, detail);
}

/** An option whose text is longer than it may be. */
export function tooLong(path: string, bytesMax: number): Problem {
  return problem("TooLong", path, `may not be more than ${bytesMax} bytes`);
}

/** A value, printed already, that is none of those allowed. */
export function notSupported(path: string, shown: string, supported: readonly string[]): Problem {
  return problem("NotSupported", path, `supported values: ${supported.map(quote).join(", ")}`, shown);
}

/** A value that breaks a rule. */
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
