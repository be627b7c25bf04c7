import { describePermissions, describeSamples } from "@homeostat/operator-testing";
import { systemNamespace } from "../api/identity.ts";
import { sandboxOperator } from "../operator.ts";
import { Bench } from "../testing/bench.ts";
import { scenarios } from "../testing/crash-scenarios.ts";

const operator = sandboxOperator();

const ofMesh = "used on clusters with a mesh, which the scenarios do not have; the tests of mesh routes run there";
const meshVerbs = ["create", "delete", "get", "list", "patch", "watch"];
const meshKinds = [
  "grpcroutes.gateway.networking.k8s.io",
  "httproutes.gateway.networking.k8s.io",
  "virtualservices.networking.istio.io",
];
const ofLinks =
  "used for PreviewLinks, which the scenarios do not have; the test of `sandboxctl preview` has exactly these permissions";
const ofGateway = "removes the gateway when the preview domain is no longer configured; the scenarios have no gateway";
const meshPermissions = meshKinds.flatMap((kind) => meshVerbs.map((verb) => `${verb} ${kind}`));

describeSamples({ operator, namespace: systemNamespace, folder: new URL("../../samples/", import.meta.url) });

describePermissions({
  operator,
  namespace: systemNamespace,
  cluster: () => Bench.start(),
  scenarios,
  settling: { settleMs: 5_000, quietMs: 20_000, quietSteps: 2 },
  unused: {
    ...Object.fromEntries(meshPermissions.map((permission) => [permission, ofMesh])),
    "update virtualservices.networking.istio.io": ofMesh,
    "create subjectaccessreviews.authorization.k8s.io": ofLinks,
    "delete previewlinks.sandbox.example.com": ofLinks,
    "get previewlinks.sandbox.example.com": ofLinks,
    "patch previewlinks.sandbox.example.com": ofLinks,
    "patch previewlinks.sandbox.example.com/status": ofLinks,
    "delete poddisruptionbudgets.policy in sandbox-system": ofGateway,
    "get poddisruptionbudgets.policy in sandbox-system": ofGateway,
    "get configmaps in sandbox-system": "reads the public keys of preview tokens again when a write conflicts",
    "update configmaps in sandbox-system": "publishes the next public key of preview tokens, 30 days after the first",
    "get jobs.batch": "reads the live Job when a create finds that its name is taken",
    "get localworkloads.sandbox.example.com": "reads a LocalWorkload again when a write of its finalizer conflicts",
    "get rollouts.argoproj.io": "reads baselines that are Rollouts, which the scenarios do not have",
    "get routegroups.sandbox.example.com": "reads a group again when a write of its finalizer conflicts",
    "get sandboxes.sandbox.example.com": "reads a sandbox again when a write of its finalizer conflicts",
    "get sandboxpolicies.sandbox.example.com": "reads a policy again when a write of its status conflicts",
    "get services": "reads the live Service when a create finds that its name is taken",
    "update secrets in sandbox-system": "renews the certificate of the route server, two months after it was issued",
  },
});
