import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { apiErrorFrom, type ApiRequest, DeadlineError, NetworkError, TerminalError } from "@homeostat/core";
import { ApplyConflictError, BeingDeletedError, NotOwnedError } from "../writes/errors.ts";
import { type ApiFailureReason, classifyApiFailure } from "./classify-api-failure.ts";
import { refusalIn } from "./refusal.ts";

interface ErrorResponse {
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: object;
  readonly request?: ApiRequest;
}

const inTeam: ApiRequest = { method: "POST", path: "/api/v1/namespaces/team/pods" };

/** Returns the client error for a response. */
function apiError({ code, request = inTeam, ...status }: ErrorResponse): Error {
  return apiErrorFrom({ status: code, request, body: { kind: "Status", apiVersion: "v1", code, ...status } });
}

const forbidden = (why: string): Error =>
  apiError({ code: 403, reason: "Forbidden", message: `pods "a" is forbidden: ${why}` });

const notOwned = (isPredecessor: boolean): Error =>
  new NotOwnedError({ object: "Service team/a", neededBy: "Site team/a", owner: undefined, isPredecessor });

interface Case {
  readonly name: string;
  readonly error: unknown;
  readonly reason: ApiFailureReason;
  /** Default: true. */
  readonly isNotPerformed?: boolean;
  /** Default: false. */
  readonly isRefusal?: boolean;
  /** Further expected properties of the result. */
  readonly more?: object;
  readonly sentence: RegExp;
}

const webhook = { type: "webhook", name: "policy.example.com" };

const cases: readonly Case[] = [
  {
    name: "a quota that is used up",
    error: forbidden("exceeded quota: small, requested: pods=1,requests.cpu=500m, used: pods=1, limited: pods=1"),
    reason: "QuotaExceeded",
    isRefusal: true,
    more: { quota: "small", isIncomplete: false },
    sentence: /^ResourceQuota "small" is exceeded\./,
  },
  {
    name: "a quota that requires requests",
    error: forbidden("failed quota: small: must specify requests.cpu for: c"),
    reason: "QuotaExceeded",
    isRefusal: true,
    more: { quota: "small", isIncomplete: true },
    sentence: /^ResourceQuota "small" requires requests or limits/,
  },
  {
    name: "a missing RBAC permission",
    error: apiError({
      code: 403,
      reason: "Forbidden",
      message: 'pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "a"',
    }),
    reason: "Forbidden",
    isRefusal: true,
    sentence: /not authorized/,
  },
  {
    name: "owner references that require permission to update finalizers",
    error: forbidden(
      "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>",
    ),
    reason: "Forbidden",
    isRefusal: true,
    sentence: /not authorized/,
  },
  {
    name: "rejected credentials",
    error: apiError({ code: 401, reason: "Unauthorized", message: "Unauthorized" }),
    reason: "Unauthorized",
    sentence: /credentials/,
  },
  {
    name: "PodSecurity",
    error: forbidden('violates PodSecurity "baseline:latest": host namespaces (hostPID=true)'),
    reason: "AdmissionDenied",
    isRefusal: true,
    more: { deniedBy: { type: "plugin", name: "PodSecurity" } },
    sentence: /^The admission plugin PodSecurity denied/,
  },
  {
    name: "a LimitRange",
    error: forbidden("maximum memory usage per Pod is 1Gi, but limit is 2Gi"),
    reason: "AdmissionDenied",
    isRefusal: true,
    more: { deniedBy: { type: "plugin", name: "LimitRanger" } },
    sentence: /LimitRanger/,
  },
  {
    name: "a LimitRange with several bounds",
    error: forbidden(
      "[minimum cpu usage per Container is 1.  No request is specified, cpu max limit to request ratio per Pod is 2, but provided ratio is 3.000000]",
    ),
    reason: "AdmissionDenied",
    isRefusal: true,
    more: { deniedBy: { type: "plugin", name: "LimitRanger" } },
    sentence: /LimitRanger/,
  },
  {
    name: "a missing service account",
    error: forbidden('error looking up service account team/other: serviceaccount "other" not found'),
    reason: "AdmissionDenied",
    isRefusal: true,
    more: { deniedBy: { type: "plugin", name: "ServiceAccount" } },
    sentence: /ServiceAccount/,
  },
  {
    name: "a webhook that denies without a status code",
    error: apiError({ code: 400, message: 'admission webhook "policy.example.com" denied the request: no' }),
    reason: "AdmissionDenied",
    isRefusal: true,
    more: { deniedBy: webhook },
    sentence: /^The admission webhook "policy.example.com" denied/,
  },
  {
    name: "a webhook that denies with Forbidden and mentions a quota",
    error: apiError({
      code: 403,
      reason: "Forbidden",
      message: 'admission webhook "policy.example.com" denied the request: exceeded quota: tokens, requested: 3',
    }),
    reason: "AdmissionDenied",
    isRefusal: true,
    more: { deniedBy: webhook },
    sentence: /policy.example.com/,
  },
  {
    name: "a ValidatingAdmissionPolicy, which responds with Invalid",
    error: apiError({
      code: 422,
      reason: "Invalid",
      message: `pods "a" is forbidden: ValidatingAdmissionPolicy 'owners' with binding 'all' denied request: name an owner`,
    }),
    reason: "AdmissionDenied",
    isRefusal: true,
    more: { deniedBy: { type: "policy", name: "owners" } },
    sentence: /^The admission policy "owners" denied/,
  },
  {
    name: "a ValidatingAdmissionPolicy that cannot be configured",
    error: apiError({
      code: 422,
      reason: "Invalid",
      message: `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'owners' denied request: failed to configure policy: x`,
    }),
    reason: "AdmissionDenied",
    isRefusal: true,
    more: { deniedBy: { type: "policy", name: "owners" } },
    sentence: /owners/,
  },
  {
    name: "a webhook that cannot be called",
    error: apiError({
      code: 500,
      reason: "InternalError",
      message:
        'Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://x": connection refused',
    }),
    reason: "AdmissionUnavailable",
    more: { deniedBy: webhook },
    sentence: /could not be called/,
  },
  {
    name: "an invalid object",
    error: apiError({ code: 422, reason: "Invalid", message: 'Pod "a" is invalid: spec.containers: Required value' }),
    reason: "Invalid",
    isRefusal: true,
    sentence: /as invalid/,
  },
  {
    name: "a malformed request",
    error: apiError({ code: 400, reason: "BadRequest", message: "cannot unmarshal string into Go struct field" }),
    reason: "Invalid",
    isRefusal: true,
    sentence: /as invalid/,
  },
  {
    name: "a namespace that is being deleted",
    error: apiError({
      code: 403,
      reason: "Forbidden",
      message: 'pods "a" is forbidden: unable to create new content in namespace team because it is being terminated',
      details: { causes: [{ reason: "NamespaceTerminating", message: "namespace team is being terminated" }] },
    }),
    reason: "NamespaceTerminating",
    more: { namespace: "team" },
    sentence: /^Namespace "team" is being deleted/,
  },
  {
    name: "a namespace that does not exist",
    error: apiError({
      code: 404,
      reason: "NotFound",
      message: 'namespaces "team" not found',
      details: { kind: "namespaces", name: "team" },
    }),
    reason: "NamespaceMissing",
    more: { namespace: "team" },
    sentence: /^Namespace "team" does not exist/,
  },
  {
    name: "a Namespace object that does not exist",
    error: apiError({
      code: 404,
      reason: "NotFound",
      message: 'namespaces "team" not found',
      details: { kind: "namespaces", name: "team" },
      request: { method: "PATCH", path: "/api/v1/namespaces/team" },
    }),
    reason: "NotFound",
    sentence: /does not exist/,
  },
  {
    name: "an object that does not exist",
    error: apiError({
      code: 404,
      reason: "NotFound",
      message: 'pods "a" not found',
      details: { kind: "pods", name: "a" },
    }),
    reason: "NotFound",
    sentence: /does not exist/,
  },
  {
    name: "an existing object",
    error: apiError({ code: 409, reason: "AlreadyExists", message: 'pods "a" already exists' }),
    reason: "AlreadyExists",
    sentence: /exists/,
  },
  {
    name: "an object that changed",
    error: apiError({
      code: 409,
      reason: "Conflict",
      message: "the object has been modified; please apply your changes",
    }),
    reason: "Conflict",
    sentence: /changed/,
  },
  {
    name: "a UID precondition",
    error: apiError({
      code: 409,
      reason: "Conflict",
      message: "Precondition failed: UID in precondition: a, UID in object meta: b",
    }),
    reason: "Conflict",
    sentence: /changed/,
  },
  {
    name: "fields of another manager",
    error: apiError({
      code: 409,
      reason: "Conflict",
      message: "Apply failed with 1 conflict",
      details: { causes: [{ reason: "FieldManagerConflict", field: ".spec.replicas" }] },
    }),
    reason: "FieldManagerConflict",
    sentence: /^Another field manager/,
  },
  {
    name: "fields of another manager, as apply reports them",
    error: new ApplyConflictError({
      object: "Deployment team/a",
      conflicts: [{ field: "spec.replicas", manager: "hpa" }],
    }),
    reason: "FieldManagerConflict",
    sentence: /hpa/,
  },
  {
    name: "another owner",
    error: notOwned(false),
    reason: "NotOwned",
    more: { isLeaving: false },
    sentence: /Service team\/a/,
  },
  { name: "a leftover", error: notOwned(true), reason: "NotOwned", more: { isLeaving: true }, sentence: /leftover/ },
  {
    name: "an object that is being deleted",
    error: new BeingDeletedError({ object: "Job team/a", finalizers: [] }),
    reason: "BeingDeleted",
    sentence: /Job team\/a is being deleted/,
  },
  {
    name: "a refused connection",
    error: new NetworkError({ socketCode: "ECONNREFUSED" }),
    reason: "Unreachable",
    sentence: /could not be reached/,
  },
  {
    name: "a connection that broke after the request was sent",
    error: new NetworkError({ socketCode: "ECONNRESET" }),
    reason: "Unreachable",
    isNotPerformed: false,
    sentence: /could not be reached/,
  },
  {
    name: "a deadline",
    error: new DeadlineError(10),
    reason: "Unreachable",
    isNotPerformed: false,
    sentence: /in time/,
  },
  {
    name: "a socket error",
    error: Object.assign(new Error("x"), { code: "ETIMEDOUT" }),
    reason: "Unreachable",
    isNotPerformed: false,
    sentence: /in time/,
  },
  {
    name: "an unavailable server",
    error: apiError({ code: 503, reason: "ServiceUnavailable", message: "no endpoints" }),
    reason: "Unreachable",
    isNotPerformed: false,
    sentence: /could not be reached/,
  },
  {
    name: "a server timeout",
    error: apiError({ code: 504, reason: "Timeout", message: "Timeout: request did not complete" }),
    reason: "Unreachable",
    isNotPerformed: false,
    sentence: /could not be reached/,
  },
  {
    name: "too many requests",
    error: apiError({ code: 429, reason: "TooManyRequests", message: "Too many requests" }),
    reason: "TooManyRequests",
    sentence: /limiting requests/,
  },
  {
    name: "an internal server error",
    error: apiError({ code: 500, reason: "InternalError", message: "Internal error occurred: etcdserver: no leader" }),
    reason: "Unknown",
    isNotPerformed: false,
    sentence: /unknown reason/,
  },
  {
    name: "a programming error",
    error: new TypeError("x is undefined"),
    reason: "Unknown",
    isNotPerformed: false,
    sentence: /unknown/,
  },
  {
    name: "an error that a reconciler threw",
    error: new TerminalError({ reason: "Wrong", message: "wrong" }),
    reason: "Unknown",
    isNotPerformed: false,
    sentence: /unknown/,
  },
  { name: "a thrown string", error: "text", reason: "Unknown", isNotPerformed: false, sentence: /unknown/ },
];

describe("classifyApiFailure", () => {
  for (const { name, error, reason, isNotPerformed = true, isRefusal = false, more = {}, sentence } of cases) {
    it(`classifies ${name} as ${reason}`, () => {
      const { sentence: said, detail, ...failure } = classifyApiFailure(error);

      assert.deepEqual(failure, { reason, isNotPerformed, isRefusal, ...more });
      assert.match(said, sentence);
      assert.notEqual(detail, "");
    });
  }

  it("returns the message of the API server without the text that the client adds", () => {
    assert.equal(classifyApiFailure(forbidden("x")).detail, 'pods "a" is forbidden: x');
    assert.equal(classifyApiFailure(apiError({ code: 403 })).reason, "Forbidden");
  });

  it("finds the failure in causes and in aggregate errors", () => {
    const quota = forbidden("exceeded quota: small, requested: pods=1");
    const wrapped = new Error("the Job could not be created", { cause: new Error("inner", { cause: quota }) });
    const several = new AggregateError([new TypeError("x"), wrapped, notOwned(false)], "steps failed");
    const loop = new Error("loop");
    loop.cause = loop;

    assert.equal(classifyApiFailure(wrapped).reason, "QuotaExceeded");
    assert.match(classifyApiFailure(wrapped).detail, /exceeded quota/);
    assert.equal(classifyApiFailure(several).reason, "QuotaExceeded");
    assert.equal(classifyApiFailure(loop).reason, "Unknown");
  });
});

describe("refusalIn", () => {
  it("parses messages that Kubernetes controllers repeat", () => {
    const event = 'Error creating: pods "t-worker-" is forbidden: exceeded quota: small';

    assert.deepEqual(refusalIn(event), { reason: "QuotaExceeded", quota: "small", isIncomplete: false });
    assert.equal(refusalIn("violates PodSecurity restricted")?.reason, "AdmissionDenied");
    assert.equal(refusalIn("Back-off restarting failed container"), undefined);
    assert.equal(refusalIn(""), undefined);
  });
});
