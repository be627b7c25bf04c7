import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, isRecord, type JsonRecord, SeededRandom } from "@homeostat/core";
import type { Authorizer } from "../../auth/attributes.ts";
import { listAt, textAt } from "../../values/fields.ts";
import type { AdmissionRequest } from "../admission.ts";
import { AdmissionChain } from "../chain.ts";
import { kindOf, named, readerOf, refusal, requestFor } from "../../testing/admission-request.ts";
import { hooksOf, ruleOf } from "./hook.ts";
import { ruleMatches } from "./match.ts";
import { mutatingWebhooks } from "./mutating.ts";
import { deniedStatus, readReviewResponse, reviewOf } from "./review.ts";
import { goStatusText } from "./go-status-text.ts";
import { validatingWebhooks } from "./validating.ts";
import { WebhookClient, type WebhookTarget } from "./webhook-client.ts";
import { goConnectionText, WebhookCallError } from "./webhook-errors.ts";

/** A client that responds from a table by URL and records the requests. */
class TableClient extends WebhookClient {
  readonly requests: { readonly url: string; readonly review: JsonRecord }[] = [];
  readonly #responses: Readonly<Record<string, JsonRecord | Error>>;

  constructor(responses: Readonly<Record<string, JsonRecord | Error>>) {
    super({ clock: new FakeClock(), resolveService: () => "" });
    this.#responses = responses;
  }

  override async post({ url = "" }: WebhookTarget, body: string): Promise<string> {
    const review: unknown = JSON.parse(body);
    assert.ok(isRecord(review));
    this.requests.push({ url, review });
    const configured = this.#responses[url] ?? {};
    if (configured instanceof Error) throw configured;
    const response = { uid: textAt(review, "request", "uid"), allowed: true, ...configured };
    return JSON.stringify({ kind: "AdmissionReview", apiVersion: review["apiVersion"], response });
  }
}

const authorizer: Authorizer = {
  authorize: (attributes) => ({ isAllowed: "verb" in attributes && attributes.verb === "get", reason: "" }),
};
const hook = (url: string, rest: object = {}): object => ({
  name: `${url}.example.com`,
  clientConfig: { url },
  rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"] }],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  ...rest,
});
const configuration = (...webhooks: readonly object[]): JsonRecord => named("hooks", { webhooks });
const patch = (...operations: readonly object[]): JsonRecord => ({
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});

function chainOf(client: WebhookClient, webhooks: readonly object[]): AdmissionChain {
  const group = "admissionregistration.k8s.io";
  const reader = readerOf({
    [`mutatingwebhookconfigurations.${group}`]: [configuration(...webhooks)],
    [`validatingwebhookconfigurations.${group}`]: [configuration(...webhooks)],
    namespaces: [named("team", { metadata: { labels: { tier: "one" } } })],
  });
  const options = { reader, client, random: new SeededRandom(1), authorizer, equivalents: () => [] };
  return new AdmissionChain([
    mutatingWebhooks({ ...options, complete: (object) => object }),
    validatingWebhooks(options),
  ]);
}

describe("webhook rules", () => {
  it("match by operation, group, version, resource and scope", () => {
    const rule = (rest: object): ReturnType<typeof ruleOf> =>
      ruleOf({ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], ...rest });
    const cases: readonly (readonly [object, AdmissionRequest, boolean])[] = [
      [{}, requestFor("pods", named("a")), true],
      [{ operations: ["UPDATE"] }, requestFor("pods", named("a")), false],
      [{ apiGroups: ["apps"] }, requestFor("pods", named("a")), false],
      [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }, requestFor("pods", named("a")), true],
      [{ resources: ["pods"] }, requestFor("pods", named("a"), { subresource: "status" }), false],
      [{ resources: ["pods/status"] }, requestFor("pods", named("a"), { subresource: "status" }), true],
      [{ resources: ["*/status"] }, requestFor("pods", named("a"), { subresource: "status" }), true],
      [{ resources: ["pods/*"] }, requestFor("pods", named("a")), true],
      [{ scope: "Cluster" }, requestFor("pods", named("a")), false],
      [{ scope: "Namespaced" }, requestFor("pods", named("a")), true],
      [{ scope: "Cluster" }, requestFor("namespaces", named("a")), true],
      [{ scope: "Namespaced" }, requestFor("nodes", named("a")), false],
    ];

    for (const [rest, request, matches] of cases) {
      assert.equal(ruleMatches(rule(rest), request, request.kind), matches, JSON.stringify(rest));
    }
  });
});

describe("AdmissionReview requests", () => {
  it("have their keys in the order of the real server", () => {
    const request = requestFor("deployments.apps", named("d"), {
      subresource: "scale",
      operation: "UPDATE",
      options: { kind: "PatchOptions", apiVersion: "meta.k8s.io/v1", force: true },
    });

    const review = reviewOf({
      uid: "u",
      version: "v1",
      request,
      kind: request.kind,
      object: named("d"),
      oldObject: undefined,
    });

    assert.equal(
      JSON.stringify(review),
      '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","kind":{"group":"autoscaling","version":"v1","kind":"Scale"},"resource":{"group":"apps","version":"v1","resource":"deployments"},"subResource":"scale","requestKind":{"group":"autoscaling","version":"v1","kind":"Scale"},"requestResource":{"group":"apps","version":"v1","resource":"deployments"},"requestSubResource":"scale","name":"d","namespace":"team","operation":"UPDATE","userInfo":{"username":"ann","groups":["system:authenticated"]},"object":{"metadata":{"name":"d"}},"oldObject":null,"dryRun":false,"options":{"kind":"UpdateOptions","apiVersion":"meta.k8s.io/v1"}}}',
    );
  });

  it("have the name of a namespace as its namespace", () => {
    const request = requestFor("namespaces", named("team"));
    const { request: requests } = reviewOf({
      uid: "u",
      version: "v1",
      request,
      kind: kindOf("namespaces"),
      object: undefined,
      oldObject: undefined,
    });
    assert.equal(textAt(requests, "namespace"), "team");
  });
});

describe("AdmissionReview responses", () => {
  const read = (text: string, mayPatch = false): string => {
    try {
      readReviewResponse(text, { uid: "u", version: "v1", mayPatch });
      return "fine";
    } catch (error) {
      assert.ok(error instanceof WebhookCallError);
      return error.message;
    }
  };
  const reviewText = (response: object): string =>
    JSON.stringify({ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", response });

  it("are refused in the words of the real server", () => {
    const invalid = "received invalid webhook response: ";
    const cases: readonly (readonly [string, boolean, string])[] = [
      [reviewText({ uid: "u", allowed: true }), false, "fine"],
      ["{}", false, `${invalid}webhook response was absent`],
      [reviewText({ uid: "x" }), false, `${invalid}expected response.uid="u", got "x"`],
      [
        '{"response":{"uid":"u"}}',
        false,
        `${invalid}expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=`,
      ],
      [
        reviewText({ uid: "u", patch: "W10=" }),
        true,
        `${invalid}webhook returned response.patch but not response.patchType`,
      ],
      [
        reviewText({ uid: "u", patchType: "JSONPatch" }),
        true,
        `${invalid}webhook returned response.patchType but not response.patch`,
      ],
      [reviewText({ uid: "u", patch: "W10=" }), false, `${invalid}validating webhook may not return response.patch`],
      [
        reviewText({ uid: "u", patchType: "JSONPatch" }),
        false,
        `${invalid}validating webhook may not return response.patchType`,
      ],
      [
        '{"kind":"Pod","apiVersion":"v1"}',
        false,
        'failed to call webhook: no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
      ],
    ];

    for (const [text, mayPatch, message] of cases) assert.equal(read(text, mayPatch), message);
    assert.match(
      read("[]"),
      /^failed to call webhook: couldn't get version\/kind; json parse error: json: cannot unmarshal array/,
    );
    assert.match(read('{"kind":'), /^failed to call webhook: couldn't get version\/kind; json parse error: /);
  });

  it("deny with their message and code, which is never a success", () => {
    const deniedText = (result: unknown): string => {
      const { status } = deniedStatus("h", result);
      return `${status.code} ${status.reason ?? ""} ${status.message ?? ""}`;
    };

    assert.equal(deniedText(undefined), '400  admission webhook "h" denied the request without explanation');
    assert.equal(deniedText({ reason: "Why" }), '400 Why admission webhook "h" denied the request: Why');
    assert.equal(deniedText({ code: 200, message: "no" }), '400  admission webhook "h" denied the request: no');
    assert.equal(
      deniedText({ code: 422, message: "no", reason: "Invalid" }),
      '422 Invalid admission webhook "h" denied the request: no',
    );
  });
});

describe("failed webhook calls", () => {
  it("are reported in the words of a Go client", () => {
    const address = { host: "a.example", port: 443 };
    const error = (code: string, rest: object = {}): Error => Object.assign(new Error("words"), { code, ...rest });
    assert.equal(
      goConnectionText(error("ECONNREFUSED", { address: "127.0.0.1", port: 1 }), address),
      "dial tcp 127.0.0.1:1: connect: connection refused",
    );
    assert.equal(
      goConnectionText(error("SELF_SIGNED_CERT_IN_CHAIN"), address),
      "tls: failed to verify certificate: x509: certificate signed by unknown authority",
    );
    const named1 = error("ERR_TLS_CERT_ALTNAME_INVALID", {
      cert: { subjectaltname: "DNS:b.example, DNS:c, IP Address:10.0.0.1" },
    });
    assert.equal(
      goConnectionText(named1, address),
      "tls: failed to verify certificate: x509: certificate is valid for b.example, c, not a.example",
    );
    assert.equal(goStatusText(500, "oh"), 'an error on the server ("oh") has prevented the request from succeeding');
    assert.equal(goStatusText(404, "oh"), "the server could not find the requested resource");
    assert.equal(
      goStatusText(302, "oh"),
      "the server responded with the status code 302 but did not return more information",
    );
  });
});

describe("webhooks in the admission chain", () => {
  it("change the object one after the other, and are reinvoked if their policy allows it", async () => {
    const client = new TableClient({
      count: patch({ op: "add", path: "/counted", value: true }),
      label: patch({ op: "add", path: "/labelled", value: true }),
    });
    const chain = chainOf(client, [hook("count", { reinvocationPolicy: "IfNeeded" }), hook("label")]);

    const result = await chain.mutate(requestFor("configmaps", named("a")));

    assert.deepEqual(result, { ...named("a"), counted: true, labelled: true });
    assert.deepEqual(
      client.requests.map(({ url }) => url),
      ["count", "label", "count"],
    );
  });

  it("refuse a request, unless their failure policy is Ignore", async () => {
    const failing = { bad: new WebhookCallError("words") };
    const strict = chainOf(new TableClient(failing), [hook("bad")]);
    const lax = chainOf(new TableClient(failing), [hook("bad", { failurePolicy: "Ignore" })]);
    const denying = chainOf(new TableClient({ no: { allowed: false, warnings: ["careful"] } }), [hook("no")]);
    const request = requestFor("configmaps", named("a"));

    assert.equal(
      await refusal(() => strict.validate(request)),
      '500 Internal error occurred: failed calling webhook "bad.example.com": failed to call webhook: words',
    );
    assert.equal(await refusal(() => lax.validate(request)), undefined);
    assert.match(
      (await refusal(() => denying.validate(request))) ?? "",
      /^400 admission webhook "no\.example\.com" denied/,
    );
    assert.deepEqual(request.warnings, ["careful"]);
  });

  it("are called for requests that match selectors and conditions", async () => {
    const client = new TableClient({});
    const chain = chainOf(client, [
      hook("namespace", { namespaceSelector: { matchLabels: { tier: "two" } } }),
      hook("object", { objectSelector: { matchLabels: { seen: "yes" } } }),
      hook("condition", { matchConditions: [{ name: "c", expression: "object.metadata.name == 'b'" }] }),
      hook("request", {
        matchConditions: [
          { name: "c", expression: "request.operation == 'CREATE' && request.userInfo.username == 'ann'" },
        ],
      }),
      hook("may", {
        matchConditions: [{ name: "c", expression: "authorizer.group('').resource('pods').check('get').allowed()" }],
      }),
      hook("may-not", {
        matchConditions: [{ name: "c", expression: "authorizer.requestResource.check('create').allowed()" }],
      }),
    ]);

    await chain.validate(requestFor("configmaps", named("a")));
    assert.deepEqual(client.requests.map(({ url }) => url).toSorted(), ["may", "request"]);
    client.requests.length = 0;
    await chain.validate(requestFor("configmaps", named("b", { metadata: { labels: { seen: "yes" } } })));
    assert.deepEqual(client.requests.map(({ url }) => url).toSorted(), ["condition", "may", "object", "request"]);
  });

  it("refuse a request if a match condition fails", async () => {
    const conditions = { matchConditions: [{ name: "c", expression: "object.data.x == 'y'" }] };
    const chain = chainOf(new TableClient({}), [hook("h", conditions)]);

    assert.match(
      (await refusal(() => chain.validate(requestFor("configmaps", named("a"))))) ?? "",
      /^403 configmaps "a" is forbidden: expression 'object.data.x == 'y'' resulted in error: no such key: data$/,
    );
  });

  it("are not called for admission configurations, nor for dry runs if they have side effects", async () => {
    const client = new TableClient({});
    const chain = chainOf(client, [hook("h", { sideEffects: "Unknown" })]);

    await chain.validate(requestFor("validatingwebhookconfigurations.admissionregistration.k8s.io", named("a")));
    assert.equal(client.requests.length, 0);
    assert.equal(
      await refusal(() => chain.validate(requestFor("configmaps", named("a"), { isDryRun: true }))),
      '400 admission webhook "h.example.com" does not support dry run',
    );
  });

  it("have the default values of their configuration", () => {
    const [read] = hooksOf(configuration({ name: "h", clientConfig: { service: { namespace: "n", name: "s" } } }));

    assert.equal(read?.timeoutSeconds, 10);
    assert.equal(read?.isEquivalentMatched, true);
    assert.equal(read?.isFailureIgnored, false);
    assert.deepEqual(read?.target, { service: { namespace: "n", name: "s" }, caBundle: "" });
    assert.deepEqual(listAt(configuration(), "webhooks"), []);
  });
});
