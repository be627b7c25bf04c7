// The table of answers: every HTTP status and every reason of Kubernetes, what it means for a retry and for a write.
// It is longer than other files because it is one table.
//
// A reason says more than a status (500 is both "try again" and "broken"), and some causes say more than their reason,
// so they are asked first. Nothing is concluded from the first digit: what is not listed is unknown.

import { type FailureRow, failureTable } from "./failure-row.ts";

const retryAdvice = "Try again.";
const reportAdvice = "Try again later; if it stays, look into the server's log.";
const rereadAdvice = "Read the object again and decide again.";
const correctAdvice = "Correct the request.";
const lookAdvice = "If this was a write, look at the live object before trying again.";

const causes = failureTable<string>(() => [
  [
    "FieldManagerConflict",
    "unknown",
    "not-applied",
    "another manager owns the fields",
    "Leave these fields to it, or apply with force to take them over.",
  ],
  [
    "NamespaceTerminating",
    "unknown",
    "not-applied",
    "the namespace is being deleted",
    "Wait until it is gone and exists again, or use another.",
  ],
  ["ResourceVersionTooLarge", "transient", "not-applied", "this server has not seen that version yet", retryAdvice],
]);

const reasons = failureTable<string>(() => [
  [
    "Unauthorized",
    "transient",
    "not-applied",
    "the credentials were not accepted",
    "Read the credentials again (they rotate) and try once more; then check them.",
  ],
  [
    "Forbidden",
    "unknown",
    "not-applied",
    "it is not allowed",
    "Grant the permission, or look at quotas and admission policies.",
  ],
  [
    "NotFound",
    "unknown",
    "not-applied",
    "it is not there",
    "Check name and namespace, and that the kind is installed; create it if it is yours.",
  ],
  [
    "AlreadyExists",
    "transient",
    "not-applied",
    "an object of that name exists",
    "Read it and check whose it is before using it.",
  ],
  ["Conflict", "transient", "not-applied", "the object changed on the server after it was read", rereadAdvice],
  ["Gone", "transient", "not-applied", "what was asked for is gone for good", "List again from the beginning."],
  ["Expired", "transient", "not-applied", "the version or page asked for is too old", "List again from the beginning."],
  ["Invalid", "terminal", "not-applied", "the object is not valid", "Correct the fields that are named."],
  ["BadRequest", "terminal", "not-applied", "the request is malformed", correctAdvice],
  ["MethodNotAllowed", "terminal", "not-applied", "the resource does not support this verb", correctAdvice],
  ["NotAcceptable", "terminal", "not-applied", "the server has none of the formats asked for", correctAdvice],
  ["RequestEntityTooLarge", "terminal", "not-applied", "the request is too large", "Send less."],
  [
    "UnsupportedMediaType",
    "terminal",
    "not-applied",
    "the server does not know the format that was sent",
    correctAdvice,
  ],
  [
    "TooManyRequests",
    "transient",
    "not-applied",
    "the server has too much to do",
    "Try again after the time it names.",
  ],
  ["ServerTimeout", "transient", "unknown", "the server could not finish in time", lookAdvice],
  ["Timeout", "transient", "unknown", "the answer did not come in time", lookAdvice],
  ["ServiceUnavailable", "transient", "unknown", "the server cannot answer now", lookAdvice],
  ["InternalError", "unknown", "unknown", "the server failed", lookAdvice],
  ["StorageReadError", "unknown", "unknown", "the server cannot read what it has stored", reportAdvice],
]);

const statuses = failureTable<number>(() => [
  [300, "unknown", "not-applied", "the server answers with choices", "Check the server's address."],
  [301, "unknown", "not-applied", "the server has moved", "Check the server's address."],
  [
    302,
    "unknown",
    "not-applied",
    "the server sends elsewhere",
    "Check the server's address and any login page before it.",
  ],
  [303, "unknown", "unknown", "the server sends elsewhere", "Check the server's address."],
  [304, "unknown", "not-applied", "nothing has changed", "Ask without a condition."],
  [305, "unknown", "not-applied", "the server wants a proxy", "Check the proxy."],
  [307, "unknown", "not-applied", "the server sends elsewhere", "Check the server's address."],
  [308, "unknown", "not-applied", "the server has moved", "Check the server's address."],
  [400, "terminal", "not-applied", "the request is malformed", correctAdvice],
  [
    401,
    "transient",
    "not-applied",
    "the credentials were not accepted",
    "Read the credentials again (they rotate) and try once more; then check them.",
  ],
  [402, "unknown", "not-applied", "payment is required", "Look at what stands before the server."],
  [
    403,
    "unknown",
    "not-applied",
    "it is not allowed",
    "Grant the permission, or look at what stands before the server.",
  ],
  [
    404,
    "unknown",
    "not-applied",
    "there is nothing at this path",
    "Check that the kind is installed and that the address is an API server's.",
  ],
  [405, "terminal", "not-applied", "the resource does not support this verb", correctAdvice],
  [406, "terminal", "not-applied", "the server has none of the formats asked for", correctAdvice],
  [407, "unknown", "not-applied", "the proxy wants credentials", "Check the proxy."],
  [408, "transient", "unknown", "the server did not get the request in time", lookAdvice],
  [409, "transient", "not-applied", "the request conflicts with what is there", rereadAdvice],
  [410, "transient", "not-applied", "what was asked for is gone", "List again from the beginning."],
  [411, "terminal", "not-applied", "the request lacks its length", correctAdvice],
  [412, "transient", "not-applied", "a condition of the request does not hold", rereadAdvice],
  [413, "terminal", "not-applied", "the request is too large", "Send less."],
  [414, "terminal", "not-applied", "the path is too long", correctAdvice],
  [415, "terminal", "not-applied", "the server does not know the format that was sent", correctAdvice],
  [416, "terminal", "not-applied", "the range asked for does not exist", correctAdvice],
  [417, "terminal", "not-applied", "the server cannot do what the request expects", correctAdvice],
  [421, "transient", "not-applied", "this connection leads to another server", retryAdvice],
  [422, "terminal", "not-applied", "the object is not valid", "Correct the fields that are named."],
  [423, "transient", "not-applied", "it is locked", retryAdvice],
  [424, "unknown", "not-applied", "something it depends on failed", reportAdvice],
  [425, "transient", "not-applied", "the server will not take it this early in a connection", retryAdvice],
  [426, "terminal", "not-applied", "the server wants another protocol", correctAdvice],
  [428, "terminal", "not-applied", "the server wants a condition on this request", correctAdvice],
  [429, "transient", "not-applied", "the server has too much to do", "Try again after the time it names."],
  [431, "terminal", "not-applied", "the request's headers are too large", correctAdvice],
  [451, "unknown", "not-applied", "it is withheld for legal reasons", "Look at what stands before the server."],
  [499, "transient", "unknown", "a proxy saw the connection close", lookAdvice],
  [500, "unknown", "unknown", "the server failed", lookAdvice],
  [501, "terminal", "not-applied", "the server cannot do this", correctAdvice],
  [502, "transient", "unknown", "the server behind the proxy gave no proper answer", lookAdvice],
  [503, "transient", "unknown", "the server cannot answer now", lookAdvice],
  [504, "transient", "unknown", "the answer did not come in time", lookAdvice],
  [505, "terminal", "not-applied", "the server does not speak this version of HTTP", correctAdvice],
  [506, "unknown", "unknown", "the server is configured wrongly", reportAdvice],
  [507, "unknown", "unknown", "the server has no room left", reportAdvice],
  [508, "unknown", "unknown", "the server found a loop", reportAdvice],
  [510, "terminal", "not-applied", "the request lacks an extension", correctAdvice],
  [511, "unknown", "not-applied", "the network wants a login", "Check what stands between here and the server."],
  [520, "unknown", "unknown", "the server behind the proxy gave no proper answer", lookAdvice],
  [521, "transient", "not-applied", "the server behind the proxy is down", retryAdvice],
  [522, "transient", "unknown", "the server behind the proxy did not answer", lookAdvice],
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
  [529, "transient", "not-applied", "the server has too much to do", "Try again after the time it names."],
]);

const unlisted: FailureRow = {
  errorClass: "unknown",
  outcome: "unknown",
  meaning: "the server answered with a status that is not known here",
  advice: lookAdvice,
};

/** What an answer that is no success means: by the reasons of its causes first, then by its reason, then by its status. */
export function rowOfAnswer(answer: {
  readonly status: number;
  readonly reason?: string | undefined;
  readonly causes?: readonly { readonly reason?: string | undefined }[] | undefined;
}): FailureRow {
  for (const { reason = "" } of answer.causes ?? []) {
    const row = causes().get(reason);
    if (row !== undefined) return row;
  }
  return reasons().get(answer.reason ?? "") ?? statuses().get(answer.status) ?? unlisted;
}
