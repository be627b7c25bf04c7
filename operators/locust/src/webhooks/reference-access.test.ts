import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "@homeostat/client";
import { FakeClock, ForbiddenError } from "@homeostat/core";
import { Role, RoleBinding } from "@homeostat/kubernetes/rbac/v1";
import { operatorAccess, operatorChart, operatorManifests } from "@homeostat/operator";
import { grant } from "@homeostat/operator-testing";
import { handleAdmissionReview } from "@homeostat/webhook";
import { Bench } from "../testing/bench.ts";
import { LocustTest, type LocustTestInput } from "../api/locust-test.ts";
import { locustOperator } from "../operator.ts";
import { readSettings } from "../settings/settings.ts";
import { referencesOf } from "../validation/references.ts";
import { locustWebhook } from "./admission.ts";
import { conversion } from "./conversion.ts";
import { referencesMax, type ReviewAccess, reviewsMax, reviewsTimeoutMs } from "./reference-access.ts";

type Spec = LocustTestInput["spec"];

const { settings } = readSettings({});
const userInfo = { username: "eve", uid: "7", groups: ["devs"], extra: { scopes: ["a", "b"] } };

function testWith(spec: Partial<Spec> = {}): LocustTest {
  return LocustTest.default({
    apiVersion: "locust.io/v2",
    kind: "LocustTest",
    metadata: { name: "shop", namespace: "perf" },
    spec: { image: "locust", master: { command: "-t 1m" }, worker: { command: "-f a.py", replicas: 1 }, ...spec },
  });
}

const secrets = (...names: string[]): Partial<Spec> => ({ env: { secretRefs: names.map((name) => ({ name })) } });

interface Asked {
  readonly object: unknown;
  readonly old?: unknown;
  readonly namespace?: string;
  readonly review?: ReviewAccess | undefined;
  readonly clock?: FakeClock;
}

interface Answer {
  readonly allowed: boolean;
  readonly code: number | undefined;
  readonly message: string;
}

/** Sends an admission request to the webhook. */
async function admit({ object, old, namespace = "perf", review, clock = new FakeClock() }: Asked): Promise<Answer> {
  const body = {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "1",
      kind: { group: "locust.io", version: "v2", kind: "LocustTest" },
      namespace,
      name: "shop",
      operation: old === undefined ? "CREATE" : "UPDATE",
      userInfo,
      object,
      ...(old !== undefined && { oldObject: old }),
    },
  };
  const { signal } = new AbortController();
  const webhook = locustWebhook({ settings, review, clock });
  const response = await handleAdmissionReview(webhook, new TextEncoder().encode(JSON.stringify(body)), { signal });
  const { allowed, status } = (
    JSON.parse(response.body) as { response: { allowed: boolean; status?: { code: number; message: string } } }
  ).response;
  return { allowed, code: status?.code, message: status?.message ?? "" };
}

/** A fake review function that allows a list of names and records its calls. */
class Reviews {
  readonly calls: Parameters<ReviewAccess>[] = [];
  readonly review: ReviewAccess;
  running = 0;
  runningMax = 0;

  constructor(...readable: string[]) {
    this.review = async (...request) => {
      this.calls.push(request);
      this.running += 1;
      this.runningMax = Math.max(this.runningMax, this.running);
      await Promise.resolve();
      this.running -= 1;
      const [, access] = request;
      const isAllowed = "name" in access && readable.includes(access.name ?? "");
      return { isAllowed, isDenied: false, reason: "", evaluationError: "" };
    };
  }

  get names(): string[] {
    return this.calls.map(([, access]) => ("name" in access ? `${access.type.plural}/${access.name}` : "")).toSorted();
  }
}

describe("referencesOf", () => {
  const ref = (name: string): { name: string } => ({ name });
  const all: Partial<Spec> = {
    imagePullSecrets: [ref("s1"), {}],
    testFiles: { configMapRef: "c1", libConfigMapRef: "c2" },
    env: {
      configMapRefs: [ref("c3")],
      secretRefs: [ref("s2"), ref("s1")],
      variables: [
        { name: "A", valueFrom: { secretKeyRef: { name: "s3", key: "k" } } },
        { name: "B", valueFrom: { configMapKeyRef: { name: "c4", key: "k" } } },
        { name: "C", value: "plain" },
      ],
      secretMounts: [{ name: "s4", mountPath: "/s4" }],
    },
    volumes: [
      { name: "a", secret: { secretName: "s5" } },
      { name: "b", configMap: { name: "c5" } },
      { name: "c", projected: { sources: [{ secret: { name: "s6" } }, { configMap: { name: "c6" } }] } },
      { name: "d", csi: { driver: "d", nodePublishSecretRef: ref("s7") } },
      { name: "e", azureFile: { secretName: "s8", shareName: "x" } },
      { name: "f", cephfs: { monitors: [], secretRef: ref("s9") } },
      { name: "g", cinder: { volumeID: "x", secretRef: ref("s10") } },
      { name: "h", flexVolume: { driver: "x", secretRef: ref("s11") } },
      { name: "i", iscsi: { iqn: "x", lun: 0, targetPortal: "x", secretRef: ref("s12") } },
      { name: "j", rbd: { image: "x", monitors: [], secretRef: ref("s13") } },
      { name: "k", scaleIO: { gateway: "x", system: "x", secretRef: ref("s14") } },
      { name: "l", storageos: { secretRef: ref("s15") } },
      { name: "m", emptyDir: {} },
    ],
  };

  it("returns each referenced Secret and ConfigMap once", () => {
    const found = referencesOf(testWith(all)).map(({ kind, name, path }) => `${kind} ${name} ${path}`);

    assert.deepEqual(found, [
      "Secret s1 spec.imagePullSecrets[0].name",
      "ConfigMap c1 spec.testFiles.configMapRef",
      "ConfigMap c2 spec.testFiles.libConfigMapRef",
      "ConfigMap c3 spec.env.configMapRefs[0].name",
      "Secret s2 spec.env.secretRefs[0].name",
      "Secret s3 spec.env.variables[0].valueFrom.secretKeyRef.name",
      "ConfigMap c4 spec.env.variables[1].valueFrom.configMapKeyRef.name",
      "Secret s4 spec.env.secretMounts[0].name",
      "Secret s5 spec.volumes[0].secret.secretName",
      "ConfigMap c5 spec.volumes[1].configMap.name",
      "Secret s6 spec.volumes[2].projected.sources[0].secret.name",
      "ConfigMap c6 spec.volumes[2].projected.sources[1].configMap.name",
      "Secret s7 spec.volumes[3].csi.nodePublishSecretRef.name",
      "Secret s8 spec.volumes[4].azureFile.secretName",
      "Secret s9 spec.volumes[5].cephfs.secretRef.name",
      "Secret s10 spec.volumes[6].cinder.secretRef.name",
      "Secret s11 spec.volumes[7].flexVolume.secretRef.name",
      "Secret s12 spec.volumes[8].iscsi.secretRef.name",
      "Secret s13 spec.volumes[9].rbd.secretRef.name",
      "Secret s14 spec.volumes[10].scaleIO.secretRef.name",
      "Secret s15 spec.volumes[11].storageos.secretRef.name",
    ]);
  });
});

describe("the check of references", () => {
  it("reviews the access of the requesting user, with groups and extra attributes", async () => {
    const reviews = new Reviews("a");

    const { allowed } = await admit({ object: testWith(secrets("a")), review: reviews.review });

    assert.equal(allowed, true);
    const [[subject, access] = []] = reviews.calls;
    assert.deepEqual(subject, { user: "eve", uid: "7", groups: ["devs"], extra: { scopes: ["a", "b"] } });
    assert.deepEqual(
      access !== undefined && "type" in access && [access.verb, access.namespace, access.name, access.type.plural],
      ["get", "perf", "a", "secrets"],
    );
  });

  it("reports all references that the user cannot read together with other problems", async () => {
    const { review } = new Reviews("c");
    const object = testWith({ ...secrets("a", "b"), testFiles: { configMapRef: "c" }, image: " " });

    const { allowed, code, message } = await admit({ object, review });

    assert.deepEqual([allowed, code], [false, 422]);
    assert.equal(
      message,
      [
        "spec.image must not be blank",
        ...["a", "b"].map(
          (name, index) =>
            `spec.env.secretRefs[${index}].name: user "eve" cannot get Secret "${name}" in namespace "perf", so tests of this user cannot reference it; request permission to get it, or reference another Secret`,
        ),
      ].join("; "),
    );
  });

  it("reviews only new references when a test is updated", async () => {
    const reviews = new Reviews("b");
    const [old, object] = [testWith(secrets("a")), testWith(secrets("a", "b"))];

    const { allowed } = await admit({ object, old, review: reviews.review });

    assert.equal(allowed, true);
    assert.deepEqual(reviews.names, ["secrets/b"]);
  });

  it("sends no review if only metadata changes, for example a finalizer", async () => {
    const reviews = new Reviews();
    const old = testWith(secrets("a"));
    const object = { ...old, metadata: { ...old.metadata, finalizers: ["locust.io/cleanup"] } };

    const { allowed } = await admit({ object, old, review: reviews.review });

    assert.deepEqual([allowed, reviews.calls.length], [true, 0]);
  });

  it("covers tests that are written through v1, including the spec in their annotation", async () => {
    const reviews = new Reviews();
    const spec = { masterCommandSeed: "-t 1m", workerCommandSeed: "-f a", workerReplicas: 1, image: "locust" };
    const v2 = JSON.stringify({ ...testWith(secrets("hidden")).spec });
    const v1 = {
      apiVersion: "locust.io/v1",
      kind: "LocustTest",
      metadata: { name: "shop", namespace: "perf", annotations: { "locust.io/v2-spec": v2 } },
      spec: { ...spec, configMap: "files" },
    };

    const { object } = conversion.convert(v1, "locust.io/v2");
    const { allowed } = await admit({ object, review: reviews.review });

    assert.equal(allowed, false);
    assert.deepEqual(reviews.names, ["configmaps/files", "secrets/hidden"]);
  });

  it(`reviews ${referencesMax} references, ${reviewsMax} at a time, and denies more without a review`, async () => {
    const names = Array.from({ length: referencesMax }, (_, index) => `s${index}`);
    const [most, more] = [new Reviews(...names), new Reviews(...names, "s")];

    const { allowed } = await admit({ object: testWith(secrets(...names)), review: most.review });
    const refused = await admit({ object: testWith(secrets(...names, "s")), review: more.review });

    assert.deepEqual([allowed, most.calls.length, most.runningMax], [true, referencesMax, reviewsMax]);
    assert.deepEqual([refused.allowed, more.calls.length], [false, 0]);
    assert.equal(refused.message, "spec: references 101 Secrets and ConfigMaps; at most 100 are allowed");
  });

  it("has limits of 100 references, 10 reviews at a time and 4 s", () => {
    assert.deepEqual([referencesMax, reviewsMax, reviewsTimeoutMs], [100, 10, 4_000]);
  });

  it("denies invalid object names without a review", async () => {
    const reviews = new Reviews();

    const { allowed, message } = await admit({ object: testWith(secrets("x".repeat(254))), review: reviews.review });

    assert.deepEqual([allowed, reviews.calls.length], [false, 0]);
    assert.match(message, /is longer than 253 characters$/);
  });

  it("denies the test when the API server does not respond in time", async () => {
    const clock = new FakeClock();
    const review: ReviewAccess = async (_, __, { signal } = {}) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
      });
    const admitted = admit({ object: testWith(secrets("a")), review, clock });

    await clock.advance(reviewsTimeoutMs);

    const { allowed, code, message } = await admitted;
    assert.deepEqual([allowed, code], [false, 503]);
    assert.equal(
      message,
      "cannot check whether you can read the Secrets and ConfigMaps that the test references: the API server did not respond within 4 seconds; retry the request",
    );
  });

  it("denies the test when the API server fails, and stops the other reviews", async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const review: ReviewAccess = async (_, access, { signal } = {}) => {
      signals.push(signal);
      if ("name" in access && access.name === "b") throw new Error("hunter2");
      return new Promise(() => undefined);
    };

    const { allowed, code, message } = await admit({ object: testWith(secrets("a", "b")), review });

    assert.deepEqual([allowed, code], [false, 503]);
    assert.match(message, /the request to the API server failed; retry the request$/);
    assert.ok(signals.every((signal) => signal?.aborted === true));
  });

  it("is skipped without a review function", async () => {
    assert.equal((await admit({ object: testWith(secrets("a")) })).allowed, true);
  });
});

describe("the check of references on an API server", () => {
  let bench: Bench;
  before(async () => {
    bench = await Bench.start({ parts: "api" });
  });
  after(() => bench[Symbol.asyncDispose]());

  /** Returns the review of a client that authenticates as a user. */
  const reviewAs = (user: string): ReviewAccess => {
    const client = new Client(bench.cluster.transport({ user }));
    return async (...request) => client.reviewAccess(...request);
  };

  it("follows the RBAC roles of the user", async () => {
    const namespace = await bench.namespace();
    const operator = `system:serviceaccount:${namespace}:operator`;
    await grant(bench.client, {
      name: "reviewer",
      user: operator,
      rights: [["authorization.k8s.io", "subjectaccessreviews", "create"]],
    });
    const apiVersion = "rbac.authorization.k8s.io/v1";
    const metadata = { namespace, name: "one-secret" };
    const rules = [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["mine"], verbs: ["get"] }];
    await bench.client.create(Role, { apiVersion, kind: "Role", metadata, rules });
    await bench.client.create(RoleBinding, {
      apiVersion,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "one-secret" },
      subjects: [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "devs" }],
    });
    const review = reviewAs(operator);

    const mine = await admit({ object: testWith(secrets("mine")), namespace, review });
    const other = await admit({ object: testWith(secrets("mine", "other")), namespace, review });

    assert.equal(mine.allowed, true);
    assert.equal(other.allowed, false);
    assert.match(other.message, /^spec\.env\.secretRefs\[1\]\.name: user "eve" cannot get Secret "other"/);
  });

  it("names the missing permission of the operator", async () => {
    const { code, message } = await admit({ object: testWith(secrets("a")), review: reviewAs("unprivileged") });

    assert.equal(code, 503);
    assert.match(
      message,
      /the operator cannot create SubjectAccessReviews; grant it this permission, or set CHECK_REF/,
    );
    await assert.rejects(
      reviewAs("unprivileged")({ user: "eve" }, { verb: "get", type: { group: "", plural: "secrets" } }),
      ForbiddenError,
    );
  });
});

describe("the permission to create SubjectAccessReviews", () => {
  const hasRight = (env: Record<string, string>, options: { readonly webhooks?: boolean } = {}): boolean =>
    operatorAccess(locustOperator(readSettings(env)), options).some(
      ({ group, resource, verbs }) =>
        group === "authorization.k8s.io" && resource === "subjectaccessreviews" && verbs.includes("create"),
    );

  it("is granted only if webhooks are enabled and references are checked", () => {
    assert.equal(hasRight({}), true);
    assert.equal(hasRight({}, { webhooks: false }), false);
    assert.equal(hasRight({ CHECK_REFERENCE_ACCESS: "false" }), false);
  });

  it("is a ClusterRole of the manifests, and of the chart under two values", () => {
    const operator = locustOperator(readSettings({}));
    const names = operatorManifests(operator).flatMap(({ kind, metadata }) =>
      kind === "ClusterRole" ? [metadata.name] : [],
    );
    const template = operatorChart(operator).get("templates/rbac.yaml") ?? "";

    assert.ok(names.includes("locust-k8s-operator-webhooks"));
    assert.match(
      template,
      /\{\{- if and \.Values\.webhook\.enabled \.Values\.locustPods\.checkReferenceAccess \}\}\n---\n[^]*?subjectaccessreviews/,
    );
  });
});
