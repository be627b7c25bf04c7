import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock, type JsonRecord, SeededRandom } from "@homeostat/core";
import { valueAt } from "../values/fields.ts";
import { AdmissionChain } from "../admission/chain.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { defaultTolerationSeconds, taintNodesByCondition } from "./node-steps.ts";
import { priority } from "./priority.ts";
import { firstRound, named, readerOf, refusal, requestFor } from "../testing/admission-request.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount, withAccount } from "./service-account.ts";
import { defaultStorageClass, persistentVolumeClaimResize, storageObjectInUseProtection } from "./storage-steps.ts";
import type { AdmissionRequest, AdmissionStep } from "../admission/admission.ts";

const mutated = async (step: AdmissionStep, request: AdmissionRequest): Promise<JsonRecord | undefined> =>
  step.mutate?.(request, firstRound());

describe("namespaceLifecycle", () => {
  const step = namespaceLifecycle(
    readerOf({ namespaces: [named("team"), named("going", { status: { phase: "Terminating" } })] }),
  );

  it("refuses objects in namespaces that do not exist or are terminating", async () => {
    const mutate = (namespace: string, rest: Partial<AdmissionRequest> = {}): Promise<string | undefined> =>
      refusal(() => mutated(step, requestFor("configmaps", named("a"), { namespace, ...rest })));

    assert.equal(await mutate("team"), undefined);
    assert.equal(await mutate("nowhere"), '404 namespaces "nowhere" not found');
    assert.equal(
      await mutate("going"),
      '403 configmaps "a" is forbidden: unable to create new content in namespace going because it is being terminated',
    );
    assert.equal(await mutate("going", { operation: "UPDATE" }), undefined, "what is there may change");
    assert.equal(await mutate("nowhere", { operation: "DELETE" }), undefined);
  });

  it("refuses to delete the standard namespaces", async () => {
    const mutate = (name: string): Promise<string | undefined> =>
      refusal(() => mutated(step, requestFor("namespaces", undefined, { operation: "DELETE", name })));

    assert.equal(
      await mutate("kube-system"),
      '403 namespaces "kube-system" is forbidden: this namespace may not be deleted',
    );
    assert.equal(await mutate("kube-node-lease"), undefined);
  });
});

describe("serviceAccount", () => {
  const pod = { metadata: { name: "a" }, spec: { containers: [{ name: "c" }] } };

  it("mounts a token into every container without one", () => {
    const result = withAccount(
      {
        spec: {
          containers: [
            { name: "c" },
            { name: "own", volumeMounts: [{ mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" }] },
          ],
        },
      },
      { account: { imagePullSecrets: [{ name: "pull" }] }, name: "bot", volumeName: "kube-api-access-abcde" },
    );

    assert.deepEqual(valueAt(result, "spec", "serviceAccountName"), "bot");
    assert.deepEqual(valueAt(result, "spec", "containers", 0, "volumeMounts", 0, "name"), "kube-api-access-abcde");
    assert.equal(valueAt(result, "spec", "containers", 1, "volumeMounts", 1), undefined);
    assert.equal(
      valueAt(result, "spec", "volumes", 0, "projected", "sources", 0, "serviceAccountToken", "expirationSeconds"),
      3607,
    );
    assert.deepEqual(valueAt(result, "spec", "imagePullSecrets"), [{ name: "pull" }]);
  });

  it("mounts no token if the pod, or else the account, disables it", () => {
    const given = { name: "bot", volumeName: "v" };
    const volumes = (spec: object, account: JsonRecord): unknown =>
      valueAt(
        withAccount({ spec: { containers: [{ name: "c" }], ...spec } }, { ...given, account }),
        "spec",
        "volumes",
      );

    assert.equal(volumes({ automountServiceAccountToken: false }, {}), undefined);
    assert.equal(volumes({}, { automountServiceAccountToken: false }), undefined);
    assert.notEqual(
      volumes({ automountServiceAccountToken: true }, { automountServiceAccountToken: false }),
      undefined,
    );
  });

  it("waits for the default account, but for no other", async () => {
    const clock = new FakeClock();
    const accounts: JsonRecord[] = [];
    const reader = readerOf({ serviceaccounts: accounts });
    const step = serviceAccount({ reader, clock, random: new SeededRandom(1) });

    const waiting = refusal(() => mutated(step, requestFor("pods", pod)));
    await clock.advance(300);
    accounts.push(named("default", {}, "team"));
    await clock.advance(300);

    assert.equal(await waiting, undefined);
    const other = { ...pod, spec: { ...pod.spec, serviceAccountName: "other" } };
    assert.equal(
      await refusal(() => mutated(step, requestFor("pods", other))),
      '403 pods "a" is forbidden: error looking up service account team/other: serviceaccount "other" not found',
    );
  });
});

describe("priority", () => {
  const classes = [
    named("high", { value: 10, preemptionPolicy: "Never" }),
    named("usual", { value: 3, globalDefault: true, preemptionPolicy: "PreemptLowerPriority" }),
  ];
  const step = priority(readerOf({ "priorityclasses.scheduling.k8s.io": classes }));
  const mutate = (spec: object): Promise<JsonRecord | undefined> =>
    mutated(step, requestFor("pods", named("a", { spec })));

  it("is set from the class of the pod, from the default class, or to zero", async () => {
    assert.deepEqual((await mutate({ priorityClassName: "high" }))?.["spec"], {
      priorityClassName: "high",
      priority: 10,
      preemptionPolicy: "Never",
    });
    assert.equal(valueAt(await mutate({}), "spec", "priorityClassName"), "usual");
    const bare = await mutated(priority(readerOf({})), requestFor("pods", named("a", { spec: {} })));
    assert.deepEqual(bare?.["spec"], { priority: 0, preemptionPolicy: "PreemptLowerPriority" });
  });

  it("cannot be set by the pod itself", async () => {
    assert.equal(
      await refusal(() => mutate({ priority: 7, priorityClassName: "high" })),
      '403 pods "a" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 10 from the given PriorityClass name',
    );
    assert.equal(
      await refusal(() => mutate({ priorityClassName: "none" })),
      '403 pods "a" is forbidden: no PriorityClass with name none was found',
    );
  });

  it("allows at most one default class", async () => {
    const second = requestFor("priorityclasses.scheduling.k8s.io", named("b", { globalDefault: true }));
    assert.match(
      (await refusal(() => step.validate?.(second))) ?? "",
      /PriorityClass usual is already marked as default/,
    );
  });
});

describe("steps for nodes and storage", () => {
  it("add missing tolerations", async () => {
    const mutate = async (tolerations: object[]): Promise<unknown> =>
      valueAt(
        await mutated(defaultTolerationSeconds, requestFor("pods", named("a", { spec: { tolerations } }))),
        "spec",
        "tolerations",
        tolerations.length,
        "key",
      );

    assert.equal(await mutate([]), "node.kubernetes.io/not-ready");
    assert.equal(
      await mutate([{ key: "node.kubernetes.io/not-ready", effect: "NoExecute" }]),
      "node.kubernetes.io/unreachable",
    );
    assert.equal(await mutate([{ operator: "Exists" }]), undefined);
  });

  it("taint a new node once", async () => {
    const result = await mutated(taintNodesByCondition, requestFor("nodes", named("a")));
    assert.deepEqual(valueAt(result, "spec", "taints"), [
      { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
    ]);
    assert.equal(await mutated(taintNodesByCondition, requestFor("nodes", result)), undefined);
  });

  it("select the newest default class", async () => {
    const storage = "storageclass.kubernetes.io/is-default-class";
    const classOf = (name: string, creationTimestamp: string): JsonRecord =>
      named(name, { metadata: { creationTimestamp, annotations: { [storage]: "true" } } });
    const reader = readerOf({
      "storageclasses.storage.k8s.io": [
        classOf("old", "2026-01-01T00:00:00Z"),
        classOf("new", "2026-02-01T00:00:00Z"),
        classOf("also-new", "2026-02-01T00:00:00Z"),
      ],
      "ingressclasses.networking.k8s.io": [
        named("web", { metadata: { annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } } }),
      ],
    });

    const claim = await mutated(
      defaultStorageClass(reader),
      requestFor("persistentvolumeclaims", named("a", { spec: {} })),
    );
    const ingress = await mutated(
      defaultIngressClass(reader),
      requestFor("ingresses.networking.k8s.io", named("a", { spec: {} })),
    );

    assert.equal(valueAt(claim, "spec", "storageClassName"), "also-new");
    assert.equal(valueAt(ingress, "spec", "ingressClassName"), "web");
    const withEmptyClass = requestFor("persistentvolumeclaims", named("a", { spec: { storageClassName: "" } }));
    assert.equal(await mutated(defaultStorageClass(reader), withEmptyClass), undefined);
  });

  it("protect volumes and claims, and allow claims to grow if their class supports it", async () => {
    const result = await mutated(storageObjectInUseProtection, requestFor("persistentvolumeclaims", named("a")));
    assert.deepEqual(valueAt(result, "metadata", "finalizers"), ["kubernetes.io/pvc-protection"]);

    const claim = (storage: string, phase: string): JsonRecord =>
      named("a", { spec: { storageClassName: "c", resources: { requests: { storage } } }, status: { phase } });
    const mutate = (phase: string, allowVolumeExpansion: boolean): Promise<string | undefined> =>
      refusal(() =>
        persistentVolumeClaimResize(
          readerOf({ "storageclasses.storage.k8s.io": [named("c", { allowVolumeExpansion })] }),
        ).validate?.(
          requestFor("persistentvolumeclaims", claim("2Gi", phase), {
            operation: "UPDATE",
            oldObject: claim("1Gi", phase),
          }),
        ),
      );
    assert.equal(await mutate("Bound", true), undefined);
    assert.match((await mutate("Bound", false)) ?? "", /must support resize$/);
    assert.match((await mutate("Pending", true)) ?? "", /Only bound persistent volume claims can be expanded$/);
  });
});

describe("runtimeClass", () => {
  const found = named("box", {
    overhead: { podFixed: { cpu: "100m" } },
    scheduling: { nodeSelector: { kind: "box" }, tolerations: [{ key: "box", operator: "Exists" }] },
  });
  const step = runtimeClass(readerOf({ "runtimeclasses.node.k8s.io": [found] }));
  const mutate = (spec: object): Promise<JsonRecord | undefined> =>
    mutated(step, requestFor("pods", named("a", { spec })));

  it("sets overhead, node selector and tolerations of the class", async () => {
    assert.deepEqual((await mutate({ runtimeClassName: "box", nodeSelector: { a: "b" } }))?.["spec"], {
      runtimeClassName: "box",
      nodeSelector: { a: "b", kind: "box" },
      overhead: { cpu: "100m" },
      tolerations: [{ key: "box", operator: "Exists" }],
    });
  });

  it("refuses an unknown class and conflicting values", async () => {
    assert.match(
      (await refusal(() => mutate({ runtimeClassName: "none" }))) ?? "",
      /pod rejected: RuntimeClass "none" not found/,
    );
    assert.match(
      (await refusal(() => mutate({ runtimeClassName: "box", overhead: { cpu: "1" } }))) ?? "",
      /doesn't match RuntimeClass's/,
    );
    assert.match(
      (await refusal(() => mutate({ runtimeClassName: "box", nodeSelector: { kind: "other" } }))) ?? "",
      /conflict: runtimeClass.scheduling.nodeSelector\[kind\] = box; pod.spec.nodeSelector\[kind\] = other/,
    );
  });
});

describe("AdmissionChain", () => {
  const log: string[] = [];
  const step = (name: string, requestsReinvocation = false): AdmissionStep => ({
    name,
    mutate: ({ object }, round) => {
      log.push(`${name} ${round.isReinvocation ? "again" : "first"}`);
      if (requestsReinvocation && !round.isReinvocation) round.requestReinvocation();
      return { ...object, [name]: true };
    },
    finish: () => {
      log.push(`${name} finished`);
      return undefined;
    },
  });

  it("runs all steps a second time on request, and finish once", async () => {
    const chain = new AdmissionChain([step("a"), step("b", true)]);

    const result = await chain.mutate(requestFor("configmaps", named("x")));
    chain.finish(requestFor("configmaps", named("x")));

    assert.deepEqual(log, ["a first", "b first", "a again", "b again", "a finished", "b finished"]);
    assert.deepEqual([result?.["a"], result?.["b"]], [true, true]);
  });

  it("passes the generated name and no resourceVersion to validating steps", async () => {
    const seen: AdmissionRequest[] = [];
    const chain = new AdmissionChain([{ name: "look", validate: (request) => void seen.push(request) }]);

    await chain.validate(
      requestFor("configmaps", named("made-up", { metadata: { resourceVersion: "0" } }), { name: "" }),
    );

    assert.equal(seen[0]?.name, "made-up");
    assert.deepEqual(seen[0]?.object?.["metadata"], { name: "made-up" });
  });
});
