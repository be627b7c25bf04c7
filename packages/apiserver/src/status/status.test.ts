import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encodeJson } from "../codec/encode-json.ts";
import {
  alreadyExistsStatus,
  conflictStatus,
  expiredStatus,
  forbiddenAttemptStatus,
  forbiddenStatus,
  generateNameConflictStatus,
  goneStatus,
  internalErrorStatus,
  invalidStatus,
  modifiedText,
  notFoundStatus,
  preconditionFailedStatus,
  serverTimeoutStatus,
  serviceUnavailableStatus,
  timeoutStatus,
  tooManyRequestsStatus,
  tooOldVersionStatus,
  versionTooLargeStatus,
} from "./refusals.ts";
import { failure, StatusError } from "./status.ts";
import { Warnings } from "./warnings.ts";

const pods = { group: "", resource: "pods" };
const deployments = { group: "apps", resource: "deployments" };

describe("error statuses", () => {
  it("have their keys in the order of kube-apiserver", () => {
    const text = encodeJson(notFoundStatus(deployments, "web"));

    const details = '"details":{"name":"web","group":"apps","kind":"deployments"}';
    const head = '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure"';
    const message = '"message":"deployments.apps \\"web\\" not found","reason":"NotFound"';
    assert.equal(text, `${head},${message},${details},"code":404}`);
  });

  it("omit empty fields", () => {
    assert.deepEqual(notFoundStatus(pods, "").details, { kind: "pods" });
    assert.equal("reason" in failure({ code: 500, message: "x" }), false);
  });

  it("list invalid fields, with each message once and all causes", () => {
    const problem = (path: string) => ({ path, type: "Required", detail: "", message: "Required value" }) as const;

    const one = invalidStatus({ group: "", kind: "Pod" }, "p", [problem("spec.a")]);
    const two = invalidStatus({ group: "apps", kind: "Deployment" }, "d", [problem("b"), problem("b"), problem("")]);

    assert.equal(one.message, 'Pod "p" is invalid: spec.a: Required value');
    assert.equal(two.message, 'Deployment.apps "d" is invalid: [b: Required value, <nil>: Required value]');
    assert.equal(two.details?.causes?.length, 3);
    assert.deepEqual(two.details?.causes?.[2], {
      reason: "FieldValueRequired",
      message: "Required value",
      field: "<nil>",
    });
    assert.equal(invalidStatus({ group: "", kind: "Pod" }, "p", []).message, 'Pod "p" is invalid');
  });

  it("name the user and the forbidden action, with HTML escaped", () => {
    const attempt = { user: "<b>&", verb: "get", group: "apps", resource: "deployments", subresource: "scale" };

    const status = forbiddenAttemptStatus({ ...attempt, namespace: "n", name: "x" }, "because <b>");

    const where = 'cannot get resource "deployments/scale" in API group "apps" in the namespace "n"';
    assert.equal(status.message, `deployments.apps "x" is forbidden: User "&lt;b&gt;&amp;" ${where}: because <b>`);
    assert.equal(
      forbiddenAttemptStatus({ user: "u", verb: "get", path: "/x" }).message,
      'forbidden: User "u" cannot get path "/x"',
    );
    assert.equal(forbiddenStatus(pods, "", "no").message, "pods is forbidden: no");
  });

  it("have codes, reasons and retry delays", () => {
    assert.deepEqual(tooManyRequestsStatus("slow down", 7).details, { retryAfterSeconds: 7 });
    assert.deepEqual(internalErrorStatus("x").details, { causes: [{ message: "x" }] });
    assert.equal(timeoutStatus("x").message, "Timeout: x");
    assert.equal(serviceUnavailableStatus("x").code, 503);
    assert.equal(goneStatus("x").reason, "Gone");
    assert.equal(serverTimeoutStatus(pods, "list", 2).details?.name, "list");
    assert.equal(tooOldVersionStatus("1", "5").message, "too old resource version: 1 (5)");
    assert.deepEqual(expiredStatus("x", "token").metadata, { continue: "token" });
    assert.equal(versionTooLargeStatus("9", "5").message, "Timeout: Too large resource version: 9, current: 5");
    assert.equal(generateNameConflictStatus(pods, "p").details?.retryAfterSeconds, 1);
  });

  it("distinguish conflicts", () => {
    const wrong = { field: "UID", wanted: "a", found: "b" } as const;

    assert.equal(
      conflictStatus(pods, "p", modifiedText).message,
      'Operation cannot be fulfilled on pods "p": the object has been modified; please apply your changes to the latest version and try again',
    );
    assert.match(
      preconditionFailedStatus(pods, "p", wrong).message ?? "",
      /UID in precondition: a, UID in object meta: b$/,
    );
    assert.equal(
      alreadyExistsStatus(pods, "p", { isBeingDeleted: true }).message,
      'object is being deleted: pods "p" already exists',
    );
  });

  it("can be thrown, with their message as the error message", () => {
    const error = new StatusError(notFoundStatus(pods, "p"));

    assert.equal(error.message, 'pods "p" not found');
    assert.equal(error.code, "API_STATUS");
  });
});

describe("warnings", () => {
  it("are quoted and deduplicated", () => {
    const warnings = new Warnings();

    warnings.addAll(['unknown field "spec.foo"', 'unknown field "spec.foo"', "", "two\nlines", "back\\slash"]);

    assert.deepEqual(warnings.headers(), ['299 - "unknown field \\"spec.foo\\""', '299 - "back\\\\slash"']);
  });

  it("are truncated when they are too long in total", () => {
    const warnings = new Warnings();

    for (let n = 0; n < 40; n += 1) warnings.add(`${n} ${"x".repeat(300)}`);

    const headers = warnings.headers();
    assert.equal(headers.length, 16);
    assert.ok(headers.every((each) => each.length === 256 + '299 - ""'.length));
  });
});
