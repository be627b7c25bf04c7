import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SecurityContext } from "@homeostat/kubernetes/core/v1";
import { LocustTest, type LocustTestInput } from "../api/locust-test.ts";
import { effectiveArguments } from "../api/effective-arguments.ts";
import { locustContainer } from "../build/containers.ts";
import { webUiUrl } from "../build/services.ts";
import { readSettings } from "../settings/settings.ts";
import { specProblems, testProblems } from "./rules.ts";

type Spec = LocustTestInput["spec"];

const { settings } = readSettings({});
const master = { command: "-f a.py -t 1m" };
const worker = { command: "-f a.py", replicas: 1 };

function testWith(spec: Partial<Spec>): LocustTest {
  return LocustTest.default({
    apiVersion: "locust.io/v2",
    kind: "LocustTest",
    metadata: { name: "shop", namespace: "perf" },
    spec: { image: "locust", master, worker, ...spec },
  });
}

/** Returns the problems of a test as `PATH: MESSAGE`. */
function refusals(spec: Partial<Spec>, env: Readonly<Record<string, string>> = {}): string[] {
  return testProblems(testWith(spec), readSettings(env).settings).map(({ path, message }) => `${path}: ${message}`);
}

const containerPath = "spec.security.containerSecurityContext";
const container = (containerSecurityContext: SecurityContext): Partial<Spec> => ({
  security: { containerSecurityContext },
});

const hostAccess: readonly [Partial<Spec>, string][] = [
  [
    { volumes: [{ name: "v", hostPath: { path: "/etc" } }] },
    'spec.volumes[0].hostPath: "/etc" gives access to the file system',
  ],
  [{ volumes: [{ name: "v", flexVolume: { driver: "d" } }] }, "spec.volumes[0].flexVolume: runs a driver on the node"],
  [{ volumes: [{ name: "v", gitRepo: { repository: "r" } }] }, "spec.volumes[0].gitRepo: runs git as root"],
  [{ volumes: [{ name: "v", fc: {} }] }, "spec.volumes[0].fc: attaches a device"],
  [
    { volumes: [{ name: "v", iscsi: { iqn: "i", lun: 0, targetPortal: "p" } }] },
    "spec.volumes[0].iscsi: attaches a device",
  ],
  [
    {
      volumes: [{ name: "v", emptyDir: {} }],
      volumeMounts: [{ name: "v", mountPath: "/v", mountPropagation: "Bidirectional" }],
    },
    'spec.volumeMounts[0].mountPropagation: "Bidirectional" mounts volumes on the node',
  ],
  [container({ privileged: true }), `${containerPath}.privileged: true gives the container full access`],
  [
    container({ allowPrivilegeEscalation: true }),
    `${containerPath}.allowPrivilegeEscalation: true lets processes gain`,
  ],
  [container({ procMount: "Unmasked" }), `${containerPath}.procMount: "Unmasked" exposes parts of`],
  [
    container({ capabilities: { add: ["NET_BIND_SERVICE", "SYS_ADMIN"] } }),
    `${containerPath}.capabilities.add[1]: "SYS_ADMIN" can allow an escape`,
  ],
  [container({ capabilities: { add: ["ALL"] } }), `${containerPath}.capabilities.add[0]: "ALL" can allow an escape`],
  [
    container({ seccompProfile: { type: "Unconfined" } }),
    `${containerPath}.seccompProfile.type: "Unconfined" disables`,
  ],
  [
    container({ appArmorProfile: { type: "Unconfined" } }),
    `${containerPath}.appArmorProfile.type: "Unconfined" disables`,
  ],
  [container({ seLinuxOptions: { type: "spc_t" } }), `${containerPath}.seLinuxOptions.type: "spc_t" can weaken`],
  [container({ seLinuxOptions: { user: "root" } }), `${containerPath}.seLinuxOptions.user: "root" can weaken`],
  [
    { security: { podSecurityContext: { windowsOptions: { hostProcess: true } } } },
    "spec.security.podSecurityContext.windowsOptions.hostProcess: true runs the container directly on the node",
  ],
  [
    { security: { podSecurityContext: { seccompProfile: { type: "Unconfined" } } } },
    'spec.security.podSecurityContext.seccompProfile.type: "Unconfined" disables seccomp',
  ],
  [
    {
      security: {
        podSecurityContext: {
          sysctls: [
            { name: "net.ipv4.tcp_rmem", value: "4096 87380 16777216" },
            { name: "kernel.msgmax", value: "65536" },
          ],
        },
      },
    },
    'spec.security.podSecurityContext.sysctls[1].name: "kernel.msgmax" can change a kernel parameter of the node',
  ],
  [
    {
      worker: {
        ...worker,
        annotations: { "container.apparmor.security.beta.kubernetes.io/shop-worker": "unconfined" },
      },
    },
    'spec.worker.annotations: "container.apparmor.security.beta.kubernetes.io/shop-worker" disables AppArmor',
  ],
];

describe("HostAccessNotAllowed", () => {
  for (const [spec, expected] of hostAccess) {
    it(`rejects ${expected}, unless the operator allows it`, () => {
      const [problem = "", ...others] = refusals(spec);

      assert.ok(problem.startsWith(expected), problem);
      assert.ok(
        problem.endsWith(
          ", which is not allowed; remove it, or ask the cluster administrator to set ALLOW_HOST_ACCESS on the operator",
        ),
        problem,
      );
      assert.deepEqual(others, []);
      assert.deepEqual(refusals(spec, { ALLOW_HOST_ACCESS: "true" }), []);
    });
  }

  it("reports all problems at once", () => {
    const problems = refusals({
      volumes: [
        { name: "a", hostPath: { path: "/" } },
        { name: "b", hostPath: { path: "/var" } },
      ],
      ...container({ privileged: true, capabilities: { add: ["SYS_PTRACE"] } }),
    });

    assert.equal(problems.length, 4);
  });

  it("allows what the standard baseline allows", () => {
    assert.deepEqual(
      refusals({
        volumes: [
          { name: "a", emptyDir: {} },
          { name: "b", nfs: { server: "s", path: "/" } },
          { name: "c", persistentVolumeClaim: { claimName: "c" } },
          { name: "d", csi: { driver: "d" } },
        ],
        security: {
          podSecurityContext: { runAsUser: 0, fsGroup: 5, seccompProfile: { type: "RuntimeDefault" } },
          containerSecurityContext: {
            privileged: false,
            allowPrivilegeEscalation: false,
            procMount: "Default",
            capabilities: { add: ["NET_BIND_SERVICE", "CHOWN"], drop: ["ALL"] },
            seLinuxOptions: { type: "container_t", level: "s0:c1" },
          },
        },
      }),
      [],
    );
  });
});

describe("ServiceAccountTokenNotAllowed", () => {
  const sources = [
    { configMap: { name: "c" } },
    { serviceAccountToken: { path: "token" } },
    { podCertificate: { signerName: "a/b", keyType: "ED25519" } },
  ];
  const spec: Partial<Spec> = { volumes: [{ name: "v", projected: { sources } }] };

  it("rejects volumes with credentials of the service account, unless pods get its token", () => {
    const why =
      "gives the pod credentials of its service account, which is not allowed; remove it, or ask the cluster administrator to set MOUNT_SERVICE_ACCOUNT_TOKEN on the operator";

    assert.deepEqual(refusals(spec), [
      `spec.volumes[0].projected.sources[1].serviceAccountToken: ${why}`,
      `spec.volumes[0].projected.sources[2].podCertificate: ${why}`,
    ]);
    assert.deepEqual(refusals(spec, { MOUNT_SERVICE_ACCOUNT_TOKEN: "true" }), []);
  });
});

const unsafePaths: readonly [string, RegExp][] = [
  ["/a/../b", /segment "\." or "\.\."/],
  ["/..", /segment/],
  ["/./a", /segment/],
  ["/a?b", /only letters/],
  ["/a#b", /only letters/],
  ["/a\\b", /only letters/],
  ["/%2e%2e/a", /only letters/],
  ["/a\r\nHost: b", /only letters/],
  ["/a\u0000", /only letters/],
  ["/ä", /only letters/],
  ["//evil", /empty segment/],
  ["/a//b", /empty segment/],
  ["@evil.example/", /must start with \//],
  ["a", /must start with \//],
  [`/${"a".repeat(1024)}`, /at most 1024 characters/],
];

describe("WebBasePathInvalid", () => {
  const places: readonly [string, (path: string) => Partial<Spec>][] = [
    ["spec.webUI.basePath", (basePath) => ({ webUI: { expose: "Service", basePath } })],
    ["spec.master.extraArgs[0]", (path) => ({ master: { ...master, extraArgs: [`--web-base-path=${path}`] } })],
    ["spec.master.extraArgs[1]", (path) => ({ master: { ...master, extraArgs: ["--web-base-path", path] } })],
    ["spec.env.variables[0].value", (value) => ({ env: { variables: [{ name: "LOCUST_WEB_BASE_PATH", value }] } })],
    [
      "spec.observability.openTelemetry.extraEnvVars.LOCUST_WEB_BASE_PATH",
      (path) => ({
        observability: {
          openTelemetry: { enabled: true, endpoint: "http://o", extraEnvVars: { LOCUST_WEB_BASE_PATH: path } },
        },
      }),
    ],
  ];

  for (const [place, specFor] of places) {
    it(`rejects base paths that redirect requests in ${place}, and never uses them`, () => {
      for (const [path, expected] of unsafePaths) {
        const test = testWith({ webUI: { expose: "Service" }, ...specFor(path) });
        const input = { test, settings, run: 1 };

        const problems = testProblems(test, settings);

        assert.deepEqual(
          problems.map((problem) => [problem.rule, problem.path]),
          [["WebBasePathInvalid", place]],
          JSON.stringify(path),
        );
        assert.match(problems[0]?.message ?? "", expected);
        // Jobs that exist already may have such a path.
        assert.equal(effectiveArguments(locustContainer(input, "master")).webBasePath, "", JSON.stringify(path));
        assert.equal(webUiUrl(input), "http://shop-webui.perf.svc:8089");
      }
    });

    it(`accepts ordinary base paths in ${place}`, () => {
      for (const path of ["/locust", "/team-a/locust/", "/a.b/..c/~d", "/"]) {
        assert.deepEqual(refusals(specFor(path)), [], path);
      }
    });
  }

  it("rejects them on the command line", () => {
    const problems = refusals({ master: { command: "-f a.py -t 1m --web-base-path /a/../b --web-base-path=/c?d" } });

    assert.deepEqual(
      problems.map((problem) => problem.slice(0, 41)),
      ['spec.master.command: the base path "/a/..', 'spec.master.command: the base path "/c?d"'],
    );
  });

  it("ignores values that the kubelet expands, because the operator does not use them", () => {
    const test = testWith({ master: { ...master, extraArgs: ["--web-base-path=$(PREFIX)"] } });

    assert.deepEqual(testProblems(test, settings), []);
    assert.equal(effectiveArguments(locustContainer({ test, settings, run: 1 }, "master")).webBasePath, "");
  });
});

describe("specProblems", () => {
  it("does not include the policy rules of the operator", () => {
    const test = testWith({ image: " ", volumes: [{ name: "v", hostPath: { path: "/" } }] });

    assert.deepEqual(
      specProblems(test).map(({ rule }) => rule),
      ["FieldBlank"],
    );
  });
});
