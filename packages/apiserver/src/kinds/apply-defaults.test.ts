import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { anonymousUser } from "../auth/user.ts";
import { applyKindDefaults } from "./apply-defaults.ts";
import { builtInByKind } from "./built-in-kinds.ts";
import { admitPod } from "./core/pod/admit-pod.ts";
import { decodeSecretStrings } from "./core/secret/decode.ts";
import { prepareForCreate } from "./prepare.ts";

describe("defaults of built-in kinds", () => {
  it("complete a minimal Deployment", () => {
    const object = {
      metadata: { name: "web" },
      spec: {
        selector: { matchLabels: { app: "web" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: { containers: [{ name: "main", image: "nginx", ports: [{ containerPort: 80 }] }] },
        },
      },
    };

    const made = applyKindDefaults("apps", "v1", "Deployment", object);

    assert.deepEqual(made, {
      metadata: { name: "web" },
      spec: {
        replicas: 1,
        progressDeadlineSeconds: 600,
        revisionHistoryLimit: 10,
        selector: { matchLabels: { app: "web" } },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
        template: {
          metadata: { labels: { app: "web" } },
          spec: {
            containers: [
              {
                name: "main",
                image: "nginx",
                imagePullPolicy: "Always",
                terminationMessagePath: "/dev/termination-log",
                terminationMessagePolicy: "File",
                ports: [{ containerPort: 80, protocol: "TCP" }],
              },
            ],
            dnsPolicy: "ClusterFirst",
            restartPolicy: "Always",
            schedulerName: "default-scheduler",
            securityContext: {},
            terminationGracePeriodSeconds: 30,
          },
        },
      },
    });
  });

  it("do not change the given object and are idempotent", () => {
    const object = { spec: { ports: [{ port: 80 }] } };

    const once = applyKindDefaults("", "v1", "Service", object);
    const twice = applyKindDefaults("", "v1", "Service", once);

    assert.deepEqual(object, { spec: { ports: [{ port: 80 }] } });
    assert.deepEqual(twice, once);
  });

  const images: [string, string][] = [
    ["nginx", "Always"],
    ["nginx:latest", "Always"],
    ["nginx:1.27", "IfNotPresent"],
    ["registry.example.com:5000/app", "Always"],
    ["registry.example.com:5000/app:v1", "IfNotPresent"],
    ["nginx@sha256:0000", "IfNotPresent"],
  ];
  for (const [image, policy] of images) {
    it(`set the pull policy ${policy} for the image ${image}`, () => {
      const pod = applyKindDefaults("", "v1", "Pod", { spec: { containers: [{ name: "a", image }] } });

      assert.ok(JSON.stringify(pod).includes(`"imagePullPolicy":"${policy}"`));
    });
  }

  it("tolerate objects of the wrong shape and keys such as __proto__", () => {
    const object = JSON.parse('{"spec":{"__proto__":{"x":1},"containers":{"a":1},"volumes":[null,3]},"metadata":[]}');

    applyKindDefaults("", "v1", "Pod", object);

    assert.equal(Reflect.get({}, "x"), undefined);
  });
});

describe("a new object", () => {
  it("gets generated labels and a selector if it is a Job", () => {
    const kind = builtInByKind("batch", "v1", "Job");
    assert.ok(kind);
    const job = applyKindDefaults("batch", "v1", "Job", { metadata: { name: "x" }, spec: {}, status: { active: 1 } });

    prepareForCreate(kind, job, { uid: "u-1", user: anonymousUser, nowMs: 0 });

    assert.deepEqual(Reflect.get(Object(job["spec"]), "selector"), {
      matchLabels: { "batch.kubernetes.io/controller-uid": "u-1" },
    });
    assert.equal(job["status"], undefined);
  });

  it("gets the phase Pending, a QoS class and tolerations for failing nodes if it is a pod", () => {
    const kind = builtInByKind("", "v1", "Pod");
    assert.ok(kind);
    const resources = { limits: { cpu: "1", memory: "1Gi" } };
    const pod = applyKindDefaults("", "v1", "Pod", { spec: { containers: [{ name: "a", image: "b", resources }] } });

    prepareForCreate(kind, pod, { uid: "u", user: anonymousUser, nowMs: 0 });
    admitPod(pod);

    assert.deepEqual(pod["status"], { phase: "Pending", qosClass: "Guaranteed" });
    const spec = Object(pod["spec"]);
    assert.equal(Reflect.get(spec, "tolerations").length, 2);
    assert.equal(Reflect.get(spec, "priority"), 0);
  });

  it("has its stringData moved to data if it is a Secret", () => {
    const secret = { data: { a: "AA==", b: "BB==" }, stringData: { b: "text" } };

    decodeSecretStrings(secret);

    assert.deepEqual(secret, { data: { a: "AA==", b: "dGV4dA==" } });
  });
});
