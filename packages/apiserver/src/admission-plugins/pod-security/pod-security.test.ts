import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonRecord } from "@homeostat/core";
import { named, readerOf, refusal, requestFor } from "../../testing/admission-request.ts";
import { detailedText, violationsOf } from "./evaluate.ts";
import { policyOf, standardText } from "./levels.ts";
import { podSecurity } from "./pod-security.ts";

const restricted = { level: "restricted", minor: undefined } as const;
const baseline = { level: "baseline", minor: undefined } as const;
const secure = { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } };
const compliant = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  containers: [{ name: "a", securityContext: secure }],
};
const violationText = (spec: object, standard: Parameters<typeof violationsOf>[1], metadata: object = {}): string =>
  detailedText(violationsOf({ metadata, spec }, standard));
const labelled = (labels: object): JsonRecord => named("team", { metadata: { labels } });
const label = (mode: string, value: string): object => ({ [`pod-security.kubernetes.io/${mode}`]: value });

describe("Pod Security Standards", () => {
  it("accept a compliant pod", () => {
    assert.equal(violationText(compliant, restricted), "");
    assert.equal(violationText({ containers: [{ name: "a" }] }, baseline), "");
    assert.equal(violationText({ hostPID: true, containers: [] }, { level: "privileged", minor: undefined }), "");
  });

  it("report violations in the words of the real server", () => {
    const with1 = (container: object, spec: object = {}): object => ({
      ...compliant,
      ...spec,
      containers: [{ name: "a", securityContext: { ...secure, ...container } }],
    });
    const cases: readonly (readonly [object, string])[] = [
      [
        { containers: [{ name: "a" }, { name: "b" }] },
        'allowPrivilegeEscalation != false (containers "a", "b" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (containers "a", "b" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or containers "a", "b" must set securityContext.runAsNonRoot=true), seccompProfile (pod or containers "a", "b" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
      ],
      [with1({ privileged: true }), 'privileged (container "a" must not set securityContext.privileged=true)'],
      [
        with1({ capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE", "X", "A"] } }),
        'unrestricted capabilities (container "a" must not include "A", "X" in securityContext.capabilities.add)',
      ],
      [with1({ runAsUser: 0 }), 'runAsUser=0 (container "a" must not set runAsUser=0)'],
      [
        with1({ runAsNonRoot: false }),
        'runAsNonRoot != true (container "a" must not set securityContext.runAsNonRoot=false)',
      ],
      [
        with1({ seccompProfile: { type: "Unconfined" } }),
        'seccompProfile (container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
      ],
      [
        with1({ procMount: "Unmasked" }),
        'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
      ],
      [with1({}, { hostNetwork: true, hostIPC: true }), "host namespaces (hostNetwork=true, hostIPC=true)"],
      [
        with1(
          {},
          {
            volumes: [
              { name: "v", hostPath: {} },
              { name: "w", nfs: {} },
              { name: "x", emptyDir: {} },
            ],
          },
        ),
        'restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs")',
      ],
      [
        with1({ appArmorProfile: { type: "Unconfined" } }),
        'forbidden AppArmor profile (container "a" must not set AppArmor profile type to "Unconfined")',
      ],
      [
        with1({ windowsOptions: { hostProcess: true } }),
        'hostProcess (container "a" must not set securityContext.windowsOptions.hostProcess=true)',
      ],
      [
        with1({ seLinuxOptions: { type: "x", role: "r" } }),
        'seLinuxOptions (container "a" set forbidden securityContext.seLinuxOptions: type "x"; role may not be set)',
      ],
      [
        { ...compliant, securityContext: { ...compliant.securityContext, sysctls: [{ name: "net.core.somaxconn" }] } },
        "forbidden sysctls (net.core.somaxconn)",
      ],
      [
        {
          ...compliant,
          containers: [{ name: "a", securityContext: secure, ports: [{ hostPort: 80 }, { hostPort: 443 }] }],
        },
        'hostPort (container "a" uses hostPorts 443, 80)',
      ],
      [
        {
          ...compliant,
          containers: [{ name: "a", securityContext: secure, livenessProbe: { httpGet: { host: "h" } } }],
        },
        'probe or lifecycle host (container "a" uses probe or lifecycle host "h")',
      ],
    ];

    for (const [spec, text] of cases) assert.equal(violationText(spec, restricted), text);
  });

  it("depend on the selected release", () => {
    const userZero = { ...compliant, securityContext: { ...compliant.securityContext, runAsUser: 0 } };
    const windows = { os: { name: "windows" }, securityContext: { runAsNonRoot: true }, containers: [{ name: "a" }] };
    const ownUsers = {
      ...compliant,
      hostUsers: false,
      securityContext: { runAsUser: 0, seccompProfile: { type: "Localhost" } },
    };

    assert.equal(violationText(userZero, { level: "restricted", minor: 22 }), "");
    assert.equal(
      violationText(userZero, { level: "restricted", minor: 23 }),
      "runAsUser=0 (pod must not set runAsUser=0)",
    );
    assert.notEqual(violationText(windows, { level: "restricted", minor: 24 }), "");
    assert.equal(violationText(windows, { level: "restricted", minor: 25 }), "");
    assert.equal(violationText(ownUsers, restricted), "", "root in a user namespace has no rights on the host");
    assert.notEqual(violationText(ownUsers, { level: "restricted", minor: 34 }), "");
    const old = { annotations: { "seccomp.security.alpha.kubernetes.io/pod": "unconfined" } };
    const bare = { containers: [{ name: "a" }] };
    assert.match(
      violationText(bare, { level: "baseline", minor: 18 }, old),
      /^seccompProfile \(forbidden annotation seccomp/,
    );
  });
});

describe("policyOf", () => {
  it("warns at the enforced level by default", () => {
    const { policy } = policyOf(labelled({ ...label("enforce", "restricted"), ...label("enforce-version", "v1.30") }));

    assert.equal(standardText(policy.warn), "restricted:v1.30");
    assert.equal(standardText(policy.audit), "privileged:latest");
    const other = policyOf(labelled({ ...label("enforce", "restricted"), ...label("warn", "baseline") }));
    assert.equal(standardText(other.policy.warn), "baseline:latest");
  });

  it("uses the restricted level for an invalid enforce label, and reports the problems", () => {
    const { policy, problems } = policyOf(
      labelled({ ...label("enforce", "x"), ...label("warn", "y"), ...label("audit-version", "1") }),
    );

    assert.equal(standardText(policy.enforce), "restricted:latest");
    assert.equal(standardText(policy.warn), "privileged:latest");
    assert.deepEqual(
      problems.map(({ path, message }) => `${path}: ${message}`),
      [
        'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted',
        'metadata.labels[pod-security.kubernetes.io/audit-version]: Invalid value: "1": must be "latest" or "v1.x"',
        'metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: "y": must be one of privileged, baseline, restricted',
      ],
    );
  });
});

describe("podSecurity", () => {
  const pod = named("a", { spec: { hostPID: true, containers: [{ name: "a", image: "a" }] } });

  it("refuses pods and warns about templates", async () => {
    const step = podSecurity(readerOf({ namespaces: [labelled(label("enforce", "baseline"))] }));
    const deployment = requestFor("deployments.apps", named("d", { spec: { template: pod } }));

    assert.equal(
      await refusal(() => step.validate?.(requestFor("pods", pod))),
      '403 pods "a" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)',
    );
    await step.validate?.(deployment);
    assert.deepEqual(deployment.warnings, [
      'would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)',
    ]);
    const status = requestFor("pods", pod, { operation: "UPDATE", subresource: "status", oldObject: pod });
    assert.equal(await refusal(() => step.validate?.(status)), undefined);
    const unchanged = requestFor("pods", pod, { operation: "UPDATE", oldObject: pod });
    assert.equal(await refusal(() => step.validate?.(unchanged)), undefined, "it was there before");
  });

  it("warns about existing pods that violate a new standard", async () => {
    const others = ["b", "c"].map((name) => ({ ...pod, metadata: { name, namespace: "team" } }));
    const step = podSecurity(readerOf({ pods: [...others, named("fine", { spec: compliant }, "team")] }));
    const request = requestFor("namespaces", labelled(label("enforce", "baseline")), {
      operation: "UPDATE",
      oldObject: named("team"),
    });

    await step.validate?.(request);

    assert.deepEqual(request.warnings, [
      'existing pods in namespace "team" violate the new PodSecurity enforce level "baseline:latest"',
      "b (and 1 other pod): host namespaces",
    ]);
  });
});
