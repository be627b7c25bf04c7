import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TerminalError } from "homeostat";
import { apiErrorFrom, classify, NetworkError } from "@homeostat/core";
import { ApplyConflictError, BeingDeletedError, ManagedObjectsError, NotOwnedError } from "@homeostat/runtime";
import { classifyFailure, errorToThrow } from "./failures.ts";

interface Response {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: object;
}

/** Returns the error of a response to a request for an object of a cluster. */
function response({ code, ...status }: Response): Error {
  const request = { method: "PATCH", path: "/api/v1/namespaces/streaming/services/c-ingest" };
  return apiErrorFrom({ status: code, request, body: { kind: "Status", apiVersion: "v1", code, ...status } });
}

const forbidden = (message: string): Error => response({ code: 403, reason: "Forbidden", message });
const socket = (socketCode: string): Error => new NetworkError({ socketCode, requestSent: false });
const conflicts = [{ field: "spec.ports", manager: "kubectl-edit" }];
const notOwned = (isPredecessor: boolean): Error =>
  new NotOwnedError({ object: "Service streaming/c-ingest", neededBy: "c", owner: undefined, isPredecessor });
const terminating = {
  code: 403,
  reason: "Forbidden",
  message: "it is being terminated",
  details: { causes: [{ reason: "NamespaceTerminating", message: "namespace streaming is being terminated" }] },
};
const missingNamespace = { code: 404, reason: "NotFound", details: { kind: "namespaces", name: "streaming" } };

const cases: readonly [string, Error, string][] = [
  ["400", response({ code: 400, reason: "BadRequest" }), "Permanent BadRequest"],
  [
    "a webhook that denies",
    response({ code: 400, message: 'admission webhook "a.b" denied the request: no' }),
    "Permanent AdmissionDenied",
  ],
  ["401", response({ code: 401, reason: "Unauthorized" }), "Permanent Unauthorized"],
  ["403", forbidden('User "a" cannot patch resource "services"'), "Permanent Forbidden"],
  [
    "a quota",
    forbidden("exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1"),
    "Permanent QuotaExceeded",
  ],
  ["a terminating namespace", response(terminating), "Permanent NamespaceTerminating"],
  ["404", response({ code: 404, reason: "NotFound" }), "Permanent ApiNotInstalled"],
  ["a missing namespace", response(missingNamespace), "Permanent NamespaceNotFound"],
  ["405", response({ code: 405, reason: "MethodNotAllowed" }), "Permanent RequestRejected"],
  ["408", response({ code: 408 }), "Transient ServerError"],
  ["409 AlreadyExists", response({ code: 409, reason: "AlreadyExists" }), "Permanent ResourceConflict"],
  ["409 Conflict", response({ code: 409, reason: "Conflict" }), "Transient UpdateConflict"],
  ["410", response({ code: 410, reason: "Expired" }), "Transient ServerError"],
  ["415", response({ code: 415, reason: "UnsupportedMediaType" }), "Permanent RequestRejected"],
  ["422", response({ code: 422, reason: "Invalid" }), "Permanent Invalid"],
  ["425", response({ code: 425 }), "Transient ServerError"],
  ["429", response({ code: 429, reason: "TooManyRequests" }), "Transient TooManyRequests"],
  ["500", response({ code: 500, reason: "InternalError", message: "broken" }), "Transient ServerError"],
  [
    "a webhook that cannot be called",
    response({ code: 500, message: 'failed calling webhook "a.b": refused' }),
    "Transient WebhookUnavailable",
  ],
  ["503", response({ code: 503, reason: "ServiceUnavailable" }), "Transient ServerError"],
  ["504", response({ code: 504, reason: "Timeout" }), "Transient ServerError"],
  ["a refused connection", socket("ECONNREFUSED"), "Transient NetworkError"],
  ["a DNS failure", socket("EAI_AGAIN"), "Transient NetworkError"],
  ["an expired certificate", socket("CERT_HAS_EXPIRED"), "Permanent ApiServerTrust"],
  ["an unknown CA", socket("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), "Permanent ApiServerTrust"],
  ["a certificate for another name", socket("ERR_TLS_CERT_ALTNAME_INVALID"), "Permanent ApiServerTrust"],
  ["an object of another owner", notOwned(false), "Permanent ResourceConflict"],
  ["a leftover of a deleted cluster", notOwned(true), "Transient UpdateConflict"],
  [
    "an object that is being deleted",
    new BeingDeletedError({ object: "a", finalizers: [] }),
    "Transient UpdateConflict",
  ],
  ["fields of another manager", new ApplyConflictError({ object: "Service a", conflicts }), "Permanent FieldConflict"],
  [
    "an error of the operator's rules",
    new TerminalError({ reason: "ValidationFailed", message: "no" }),
    "Permanent ValidationFailed",
  ],
  ["a bug", new TypeError("x is undefined"), "Unknown Unexpected"],
];

describe("classifyFailure", () => {
  for (const [name, error, expected] of cases) {
    it(`classifies ${name} as ${expected}`, () => {
      const failure = classifyFailure(error);

      assert.equal(`${failure.class} ${failure.reason}`, expected);
      // The runtime repeats the reconcile at the interval of the class of the thrown error. It repeats version conflicts soon by itself.
      const classes = { Permanent: "terminal", Transient: "transient", Unknown: "unknown" } as const;
      if (failure.reason !== "UpdateConflict")
        assert.equal(classify(errorToThrow(failure)), classes[failure.class], "the class of the thrown error");
    });
  }

  it("prefers a permanent failure among those of several objects, and names its object", () => {
    const failures = [
      { object: "Role streaming/c-ingest", error: response({ code: 503 }) },
      { object: "Service streaming/c-ingest", error: notOwned(false) },
    ];
    const { class: chosen, object } = classifyFailure(new ManagedObjectsError("ChronikCluster streaming/c", failures));

    assert.deepEqual([chosen, object], ["Permanent", "Service streaming/c-ingest"]);
  });

  it("keeps the text of a bug out of the status, and cuts long messages", () => {
    const long = classifyFailure(new TerminalError({ reason: "ValidationFailed", message: "x".repeat(5_000) }));

    assert.doesNotMatch(classifyFailure(new Error("password=1")).message, /password/);
    assert.ok(long.message.length <= 1024);
  });

  it("lists five fields of other managers", () => {
    const many = Array.from({ length: 7 }, (_none, index) => ({ field: `spec.f${index}`, manager: undefined }));
    const { message } = classifyFailure(new ApplyConflictError({ object: "Service a", conflicts: many }));

    assert.match(message, /spec\.f4 \(unknown manager\) and 2 more\. Configure them to release/);
  });
});
