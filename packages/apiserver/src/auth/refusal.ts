import { goQuote } from "./go-quote.ts";

/** One thing that is wrong with a field, in the words of the API server. */
export interface FieldProblem {
  /** Where: `spec.expirationSeconds`. */
  readonly field: string;
  readonly type: "Invalid" | "Required" | "NotSupported";
  /** What stands there now, as the message shows it; a missing value shows none. */
  readonly shown?: string;
  readonly detail: string;
}

/** The body of an answer that says no. */
export interface RefusalStatus {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: "Failure";
  readonly message: string;
  readonly reason: string;
  readonly details?: RefusalDetails;
  readonly code: number;
}

/** Which object a refusal is about. */
export interface RefusalDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly causes?: readonly { readonly reason: string; readonly message: string; readonly field: string }[];
}

/** A no, with the whole `Status` that tells the client. */
export class Refusal {
  readonly status: RefusalStatus;

  constructor({ code, reason, message, details }: Pick<RefusalStatus, "code" | "reason" | "message" | "details">) {
    const about = details === undefined ? {} : { details };
    this.status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason,
      ...about,
      code,
    };
  }
}

/** A resource of a group, and which object of it. */
export interface Target {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
}

function detailsOf({ group, resource, name }: Target): RefusalDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(group === "" ? {} : { group }),
    ...(resource === "" ? {} : { kind: resource }),
  };
}

function qualified({ group, resource }: Target): string {
  return group === "" ? resource : `${resource}.${group}`;
}

/** 401: the credentials are wrong. Says nothing of why, so that nobody learns from it. */
export function unauthorized(): Refusal {
  return new Refusal({ code: 401, reason: "Unauthorized", message: "Unauthorized" });
}

/** 400: the request cannot be understood. */
export function badRequest(message: string): Refusal {
  return new Refusal({ code: 400, reason: "BadRequest", message });
}

/** 403: the user may not do this. */
export function forbidden(target: Target, why: string): Refusal {
  const of =
    target.resource === "" ? "" : `${qualified(target)}${target.name === "" ? "" : ` ${goQuote(target.name)}`} is `;
  return new Refusal({ code: 403, reason: "Forbidden", message: `${of}forbidden: ${why}`, details: detailsOf(target) });
}

/** 404: there is no such object. */
export function notFound(target: Target): Refusal {
  const message = `${qualified(target)} ${goQuote(target.name)} not found`;
  return new Refusal({ code: 404, reason: "NotFound", message, details: detailsOf(target) });
}

/** 409: the object is another one than the request means. */
export function conflict(target: Target, why: string): Refusal {
  const message = `Operation cannot be fulfilled on ${qualified(target)} ${goQuote(target.name)}: ${why}`;
  return new Refusal({ code: 409, reason: "Conflict", message, details: detailsOf(target) });
}

/** 500: the server cannot answer. */
export function internalError(why: string): Refusal {
  const cause = { reason: "", message: why, field: "" };
  return new Refusal({
    code: 500,
    reason: "InternalError",
    message: `Internal error occurred: ${why}`,
    details: { causes: [cause] },
  });
}

const causeReasons = {
  Invalid: "FieldValueInvalid",
  Required: "FieldValueRequired",
  NotSupported: "FieldValueNotSupported",
} as const;

const typeTexts = { Invalid: "Invalid value", Required: "Required value", NotSupported: "Unsupported value" } as const;

/** 422: fields are wrong. `resource` of the target is the kind. */
export function invalid(target: Target, problems: readonly FieldProblem[]): Refusal {
  const causes = problems.map((problem) => ({
    reason: causeReasons[problem.type],
    message: problemText(problem),
    field: problem.field,
  }));
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const all = texts.length === 1 ? texts.join("") : `[${[...new Set(texts)].join(", ")}]`;
  const message = `${qualified(target)} ${goQuote(target.name)} is invalid: ${all}`;
  return new Refusal({ code: 422, reason: "Invalid", message, details: { ...detailsOf(target), causes } });
}

function problemText({ type, shown, detail }: FieldProblem): string {
  const parts = [typeTexts[type], ...(shown === undefined ? [] : [shown]), ...(detail === "" ? [] : [detail])];
  return parts.join(": ");
}
