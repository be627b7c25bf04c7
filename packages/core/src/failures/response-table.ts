// A table of error responses: for every HTTP status and every reason of Kubernetes, whether a retry can help and whether a write
// may have taken effect. It is longer than other files because it is one table.
//
// Lookups go from specific to general: first the causes, then the reason, then the status, because a reason is more specific than
// a status (500 is used for both transient and permanent failures). Nothing is derived from the first digit of a status: an
// unlisted one is `unknown`.

import { type FailureRow, failureTable } from "./failure-row.ts";

const retryAdvice = "Retry the request.";
const reportAdvice = "Retry later; if it persists, check the server's log.";
const rereadAdvice = "Read the object again and repeat the change.";
const correctAdvice = "Correct the request.";
const lookAdvice = "If this was a write, check the live object before retrying.";

const causes = failureTable<string>(() => [
  [
    "FieldManagerConflict",
    "unknown",
    "not-applied",
    "another field manager owns the fields",
    "Remove these fields from the request, or apply with force to take them over.",
  ],
  [
    "NamespaceTerminating",
    "unknown",
    "not-applied",
    "the namespace is being deleted",
    "Wait until it is deleted and create it again, or use another namespace.",
  ],
  [
    "ResourceVersionTooLarge",
    "transient",
    "not-applied",
    "the server has not reached that resource version yet",
    retryAdvice,
  ],
]);

const reasons = failureTable<string>(() => [
  [
    "Unauthorized",
    "transient",
    "not-applied",
    "the credentials were not accepted",
    "Reload the credentials, which may have rotated, and retry once; then check them.",
  ],
  [
    "Forbidden",
    "unknown",
    "not-applied",
    "it is not allowed",
    "Grant the permission, or check quotas and admission policies.",
  ],
  [
    "NotFound",
    "unknown",
    "not-applied",
    "the object does not exist",
    "Check name and namespace, and that the kind is installed.",
  ],
  [
    "AlreadyExists",
    "transient",
    "not-applied",
    "an object of that name exists",
    "Read it and check its owner before using it.",
  ],
  ["Conflict", "transient", "not-applied", "the object was changed after it was read", rereadAdvice],
  ["Gone", "transient", "not-applied", "the requested state is no longer available", "List again from the beginning."],
  [
    "Expired",
    "transient",
    "not-applied",
    "the resource version or continue token is too old",
    "List again from the beginning.",
  ],
  ["Invalid", "terminal", "not-applied", "the object is invalid", "Correct the listed fields."],
  ["BadRequest", "terminal", "not-applied", "the request is malformed", correctAdvice],
  ["MethodNotAllowed", "terminal", "not-applied", "the resource does not support this verb", correctAdvice],
  ["NotAcceptable", "terminal", "not-applied", "the server supports none of the requested formats", correctAdvice],
  ["RequestEntityTooLarge", "terminal", "not-applied", "the request is too large", "Send a smaller request."],
  [
    "UnsupportedMediaType",
    "terminal",
    "not-applied",
    "the server does not support the format of the request",
    correctAdvice,
  ],
  ["TooManyRequests", "transient", "not-applied", "the server is overloaded", "Retry after the time that it asks for."],
  ["ServerTimeout", "transient", "unknown", "the server timed out", lookAdvice],
  ["Timeout", "transient", "unknown", "there was no response in time", lookAdvice],
  ["ServiceUnavailable", "transient", "unknown", "the server is unavailable", lookAdvice],
  ["InternalError", "unknown", "unknown", "the server failed", lookAdvice],
  ["StorageReadError", "unknown", "unknown", "the server cannot read its storage", reportAdvice],
]);

const statuses = failureTable<number>(() => [
  [300, "unknown", "not-applied", "the server responded with multiple choices", "Check the server's address."],
  [301, "unknown", "not-applied", "the server redirects permanently", "Check the server's address."],
  [
    302,
    "unknown",
    "not-applied",
    "the server redirects",
    "Check the server's address, and for a login page in front of it.",
  ],
  [303, "unknown", "unknown", "the server redirects", "Check the server's address."],
  [304, "unknown", "not-applied", "the resource is not modified", "Send the request without a condition."],
  [305, "unknown", "not-applied", "the server requires a proxy", "Check the proxy."],
  [307, "unknown", "not-applied", "the server redirects", "Check the server's address."],
  [308, "unknown", "not-applied", "the server redirects permanently", "Check the server's address."],
  [400, "terminal", "not-applied", "the request is malformed", correctAdvice],
  [
    401,
    "transient",
    "not-applied",
    "the credentials were not accepted",
    "Reload the credentials, which may have rotated, and retry once; then check them.",
  ],
  [402, "unknown", "not-applied", "payment is required", "Check proxies in front of the server."],
  [
    403,
    "unknown",
    "not-applied",
    "it is not allowed",
    "Grant the permission, or check proxies in front of the server.",
  ],
  [
    404,
    "unknown",
    "not-applied",
    "the path does not exist",
    "Check that the kind is installed and that the address is that of an API server.",
  ],
  [405, "terminal", "not-applied", "the resource does not support this verb", correctAdvice],
  [406, "terminal", "not-applied", "the server supports none of the requested formats", correctAdvice],
  [407, "unknown", "not-applied", "the proxy requires credentials", "Check the proxy."],
  [408, "transient", "unknown", "the server did not receive the request in time", lookAdvice],
  [409, "transient", "not-applied", "the request conflicts with the stored object", rereadAdvice],
  [410, "transient", "not-applied", "the requested state is no longer available", "List again from the beginning."],
  [411, "terminal", "not-applied", "the request has no Content-Length", correctAdvice],
  [412, "transient", "not-applied", "a condition of the request does not hold", rereadAdvice],
  [413, "terminal", "not-applied", "the request is too large", "Send a smaller request."],
  [414, "terminal", "not-applied", "the path is too long", correctAdvice],
  [415, "terminal", "not-applied", "the server does not support the format of the request", correctAdvice],
  [416, "terminal", "not-applied", "the requested range does not exist", correctAdvice],
  [417, "terminal", "not-applied", "the server cannot meet the expectation of the request", correctAdvice],
  [421, "transient", "not-applied", "the connection is to another server", retryAdvice],
  [422, "terminal", "not-applied", "the object is invalid", "Correct the listed fields."],
  [423, "transient", "not-applied", "the object is locked", retryAdvice],
  [424, "unknown", "not-applied", "a dependent request failed", reportAdvice],
  [425, "transient", "not-applied", "the server refuses early data", retryAdvice],
  [426, "terminal", "not-applied", "the server requires another protocol", correctAdvice],
  [428, "terminal", "not-applied", "the server requires a precondition", correctAdvice],
  [429, "transient", "not-applied", "the server is overloaded", "Retry after the time that it asks for."],
  [431, "terminal", "not-applied", "the request's headers are too large", correctAdvice],
  [451, "unknown", "not-applied", "it is unavailable for legal reasons", "Check proxies in front of the server."],
  [499, "transient", "unknown", "the connection to a proxy was closed", lookAdvice],
  [500, "unknown", "unknown", "the server failed", lookAdvice],
  [501, "terminal", "not-applied", "the server does not implement this", correctAdvice],
  [502, "transient", "unknown", "the server behind the proxy sent an invalid response", lookAdvice],
  [503, "transient", "unknown", "the server is unavailable", lookAdvice],
  [504, "transient", "unknown", "there was no response in time", lookAdvice],
  [505, "terminal", "not-applied", "the server does not support this version of HTTP", correctAdvice],
  [506, "unknown", "unknown", "the server is misconfigured", reportAdvice],
  [507, "unknown", "unknown", "the server has no storage left", reportAdvice],
  [508, "unknown", "unknown", "the server detected a loop", reportAdvice],
  [510, "terminal", "not-applied", "the request lacks an extension", correctAdvice],
  [
    511,
    "unknown",
    "not-applied",
    "the network requires authentication",
    "Check proxies between this process and the server.",
  ],
  [520, "unknown", "unknown", "the server behind the proxy sent an invalid response", lookAdvice],
  [521, "transient", "not-applied", "the server behind the proxy is down", retryAdvice],
  [522, "transient", "unknown", "the connection to the server behind the proxy timed out", lookAdvice],
  [523, "transient", "not-applied", "the server behind the proxy cannot be reached", retryAdvice],
  [524, "transient", "unknown", "the server behind the proxy took too long", lookAdvice],
  [525, "unknown", "not-applied", "the proxy could not set up TLS with the server", "Check the server's certificate."],
  [
    526,
    "unknown",
    "not-applied",
    "the proxy does not trust the server's certificate",
    "Check the server's certificate.",
  ],
  [529, "transient", "not-applied", "the server is overloaded", "Retry after the time that it asks for."],
]);

const unlisted: FailureRow = {
  errorClass: "unknown",
  outcome: "unknown",
  meaning: "the server responded with an unknown status",
  advice: lookAdvice,
};

/** Returns the row of an error response: by the reasons of its causes first, then by its reason, then by its status. */
export function rowOfResponse(response: {
  readonly status: number;
  readonly reason?: string | undefined;
  readonly causes?: readonly { readonly reason?: string | undefined }[] | undefined;
}): FailureRow {
  for (const { reason = "" } of response.causes ?? []) {
    const row = causes().get(reason);
    if (row !== undefined) return row;
  }
  return reasons().get(response.reason ?? "") ?? statuses().get(response.status) ?? unlisted;
}
