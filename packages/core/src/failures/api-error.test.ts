import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SeededRandom, fuzz } from "@homeostat/fuzz";
import { apiErrorFrom } from "./api-error-from.ts";
import { ApiError } from "./api-error.ts";
import { ConflictError, ExpiredError, GoneError, InvalidError, NotFoundError } from "./api-errors.ts";
import type { ErrorClass } from "../errors/error.ts";

function status(fields: Record<string, unknown>): string {
  return JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", ...fields });
}

describe("apiErrorFrom", () => {
  it("parses message, reason, causes and details, and names the request and the advice", () => {
    const body = status({
      message: 'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      reason: "Invalid",
      details: {
        name: "web",
        group: "apps",
        kind: "Deployment",
        uid: "11aa",
        causes: [{ reason: "FieldValueInvalid", message: "Invalid value: -1: must be …", field: "spec.replicas" }],
      },
      code: 422,
    });

    const error = apiErrorFrom({
      status: 422,
      body,
      request: { method: "PUT", path: "/apis/apps/v1/namespaces/default/deployments/web" },
    });

    assert.ok(error instanceof InvalidError);
    assert.equal(error.code, "INVALID");
    assert.equal(error.status, 422);
    assert.equal(error.reason, "Invalid");
    assert.deepEqual(error.details, { name: "web", group: "apps", kind: "Deployment", uid: "11aa" });
    assert.deepEqual(error.causes, [
      { reason: "FieldValueInvalid", message: "Invalid value: -1: must be …", field: "spec.replicas" },
    ]);
    assert.equal(error.hasStatus, true);
    assert.equal(error.retryable, false);
    assert.equal(
      error.message,
      'PUT /apis/apps/v1/namespaces/default/deployments/web: Deployment.apps "web" is invalid: spec.replicas: ' +
        "Invalid value: -1: must be greater than or equal to 0 (422 Invalid). Correct the listed fields.",
    );
  });

  // Status, reason in the body, expected error code, expected class.
  const cases: [number, string, string, ErrorClass][] = [
    [400, "BadRequest", "BAD_REQUEST", "terminal"],
    [401, "Unauthorized", "UNAUTHORIZED", "transient"],
    [403, "Forbidden", "FORBIDDEN", "unknown"],
    [404, "NotFound", "NOT_FOUND", "unknown"],
    [405, "MethodNotAllowed", "METHOD_NOT_ALLOWED", "terminal"],
    [406, "NotAcceptable", "NOT_ACCEPTABLE", "terminal"],
    [409, "AlreadyExists", "ALREADY_EXISTS", "transient"],
    [409, "Conflict", "CONFLICT", "transient"],
    [410, "Gone", "GONE", "transient"],
    [410, "Expired", "EXPIRED", "transient"],
    [413, "RequestEntityTooLarge", "REQUEST_TOO_LARGE", "terminal"],
    [415, "UnsupportedMediaType", "UNSUPPORTED_MEDIA_TYPE", "terminal"],
    [422, "Invalid", "INVALID", "terminal"],
    [429, "TooManyRequests", "TOO_MANY_REQUESTS", "transient"],
    [500, "InternalError", "INTERNAL_SERVER_ERROR", "unknown"],
    [500, "StorageReadError", "INTERNAL_SERVER_ERROR", "unknown"],
    [500, "ServerTimeout", "SERVER_TIMEOUT", "transient"],
    [503, "ServiceUnavailable", "SERVICE_UNAVAILABLE", "transient"],
    [504, "Timeout", "API_TIMEOUT", "transient"],
    // The reason takes precedence over the status, and an unknown reason does not count.
    [500, "Conflict", "CONFLICT", "transient"],
    [409, "SomethingElse", "CONFLICT", "transient"],
    [418, "constructor", "API", "unknown"],
  ];
  for (const [code, reason, expected, errorClass] of cases) {
    it(`maps ${code} ${reason} to ${expected}, ${errorClass}`, () => {
      const error = apiErrorFrom({ status: code, body: status({ reason, message: "m", code }) });

      assert.equal(error.code, expected);
      assert.equal(error.errorClass, errorClass);
      assert.equal(error.retryable, errorClass !== "terminal");
      assert.equal(error.reason, reason);
    });
  }

  // Without a Status in the body, the HTTP status decides.
  const bare: [number, string, ErrorClass][] = [
    [302, "API", "unknown"],
    [400, "BAD_REQUEST", "terminal"],
    [404, "NOT_FOUND", "unknown"],
    [408, "API_TIMEOUT", "transient"],
    [409, "CONFLICT", "transient"],
    [410, "GONE", "transient"],
    [418, "API", "unknown"],
    [425, "API", "transient"],
    [429, "TOO_MANY_REQUESTS", "transient"],
    [500, "INTERNAL_SERVER_ERROR", "unknown"],
    [501, "API", "terminal"],
    [502, "SERVICE_UNAVAILABLE", "transient"],
    [503, "SERVICE_UNAVAILABLE", "transient"],
    [504, "API_TIMEOUT", "transient"],
    [599, "API", "unknown"],
  ];
  for (const [code, expected, errorClass] of bare) {
    it(`maps a bare ${code} to ${expected}, ${errorClass}`, () => {
      const error = apiErrorFrom({ status: code, body: "<html>oops</html>" });

      assert.equal(error.code, expected);
      assert.equal(error.errorClass, errorClass);
      assert.equal(error.hasStatus, false);
    });
  }

  it("maps a bare conflict on creation to AlreadyExists", () => {
    assert.equal(apiErrorFrom({ status: 409, request: { method: "POST", path: "/x" } }).code, "ALREADY_EXISTS");
  });

  const conflicts: [string, Record<string, unknown>, ConflictError["conflict"], ErrorClass][] = [
    [
      "an older version",
      {
        message:
          'Operation cannot be fulfilled on pods "a": the object has been modified; please apply your changes to the latest version and try again',
      },
      "version",
      "transient",
    ],
    [
      "fields of another manager",
      {
        message: 'Apply failed with 1 conflict: conflict with "helm" using apps/v1: .spec.replicas',
        details: {
          causes: [{ reason: "FieldManagerConflict", message: 'conflict with "helm"', field: ".spec.replicas" }],
        },
      },
      "fields",
      "unknown",
    ],
    [
      "a precondition",
      {
        message:
          'Operation cannot be fulfilled on pods "a": Precondition failed: UID in precondition: x, UID in object meta: y',
      },
      "precondition",
      "transient",
    ],
    [
      "a precondition of a delete",
      {
        message:
          'Operation cannot be fulfilled on pods "a": the UID in the precondition (x) does not match the UID in record (y). The object might have been deleted and then recreated',
      },
      "precondition",
      "transient",
    ],
    ["nothing it names", { message: "no" }, "other", "transient"],
  ];
  for (const [name, fields, conflict, errorClass] of conflicts) {
    it(`recognizes a conflict with ${name}`, () => {
      const error = apiErrorFrom({ status: 409, body: status({ reason: "Conflict", ...fields }) });

      assert.ok(error instanceof ConflictError);
      assert.equal(error.conflict, conflict);
      assert.equal(error.errorClass, errorClass);
      assert.equal(error.outcome, "not-applied");
    });
  }

  it("returns an ExpiredError that is a GoneError", () => {
    const error = apiErrorFrom({ status: 410, body: status({ reason: "Expired", message: "too old" }) });

    assert.ok(error instanceof ExpiredError);
    assert.ok(error instanceof GoneError);
  });

  it("accepts a parsed body and bytes", () => {
    const text = status({ reason: "NotFound", message: 'pods "a" not found' });

    for (const body of [JSON.parse(text) as unknown, new TextEncoder().encode(text)]) {
      const error = apiErrorFrom({ status: 404, body });
      assert.ok(error instanceof NotFoundError);
      assert.equal(error.serverMessage, 'pods "a" not found');
    }
  });

  it("quotes a body that is not a Status, truncated and on one line", () => {
    const page = `<html>\n\u001b[31m<h1>Bad\tGateway</h1>\u0000${"x".repeat(5_000_000)}`;

    const error = apiErrorFrom({ status: 502, body: page });

    assert.ok(error.message.startsWith("<html> [31m<h1>Bad Gateway</h1> xxx"), error.message.slice(0, 80));
    assert.ok(error.message.length < 1500);
    assert.ok(error.serverMessage.length <= 8192);
  });

  it("does not parse a body that exceeds the limits of a Status", () => {
    const nested = status({ reason: "Expired", extra: JSON.parse(`${"[".repeat(20)}${"]".repeat(20)}`) as unknown });
    const long = status({ reason: "Expired", extra: Array.from({ length: 40_000 }, () => 0) });

    for (const body of [nested, long]) assert.equal(apiErrorFrom({ status: 404, body }).hasStatus, false);
  });

  it("uses the meaning from the table if the server sent no message", () => {
    assert.equal(
      apiErrorFrom({ status: 503, request: { method: "GET", path: "/version" } }).message,
      "GET /version: the server is unavailable (503 ServiceUnavailable). If this was a write, check the live object before retrying.",
    );
  });

  it("uses the longer wait of the body and the header", () => {
    const body = status({ reason: "TooManyRequests", details: { retryAfterSeconds: 5 } });

    assert.equal(apiErrorFrom({ status: 429, body }).retryAfterMs, 5_000);
    assert.equal(apiErrorFrom({ status: 429, body, headers: { "retry-after": "9" } }).retryAfterMs, 9_000);
    assert.equal(apiErrorFrom({ status: 429, body, headers: { "Retry-After": "1" } }).retryAfterMs, 5_000);
    assert.equal(apiErrorFrom({ status: 429 }).retryAfterMs, undefined);
  });

  it("ignores malformed parts of a Status", () => {
    const body = {
      kind: "Status",
      message: 5,
      reason: { toString: 1 },
      details: { name: ["x"], retryAfterSeconds: -1, causes: [null, 5, { field: {}, message: "m" }, "x"] },
    };

    const error = apiErrorFrom({ status: 422, body });

    assert.equal(error.reason, "Invalid");
    assert.deepEqual(error.details, {});
    assert.deepEqual(error.causes, [{ message: "m" }]);
    assert.equal(error.retryAfterMs, undefined);
  });

  it("returns an ApiError for any body, quickly", () => {
    const text = status({
      message: "m",
      reason: "Conflict",
      details: { name: "a", causes: [{ reason: "FieldManagerConflict", field: ".a" }], retryAfterSeconds: 1 },
      code: 409,
    });
    const shapes: unknown[] = [null, 5, [], {}, new Date(0), { kind: "Status", details: [] }, () => 1];
    const huge = ["x".repeat(100_000), "[".repeat(20_000), '{"a":'.repeat(10_000)];
    const alphabet = ['"', "{", "}", "[", "]", ",", ":", "\\", "null", "1e999", "__proto__", "\u0000", "é"];
    const nextBody = (chance: SeededRandom, index: number): unknown => {
      if (index % 500 === 0) return chance.pick(huge);
      return index % 10 === 0 ? shapes[chance.int(shapes.length)] : chance.mutate(text, alphabet);
    };
    const { accepted } = fuzz({
      count: 100_000,
      seed: 409,
      input: (chance, index) => ({
        status: chance.pick([0, 200, 302, 400, 404, 409, 410, 422, 429, 500, 503, 777, -1, 1e9]),
        body: nextBody(chance, index),
        headers: {
          "retry-after": chance.pick(["1", "-1", "1e9", "Thu, 01 Jan 1970 00:00:00 GMT", "9".repeat(400), "", "x"]),
        },
        now: 0,
      }),
      run: (response) => {
        const error = apiErrorFrom(response);
        assert.ok(error instanceof ApiError);
        assert.ok(error.message.length < 3_000);
        const { retryAfterMs = 0 } = error;
        assert.ok(retryAfterMs >= 0 && retryAfterMs <= 86_400_000);
      },
      isExpected: () => false,
    });

    assert.equal(accepted, 100_000);
  });
});
