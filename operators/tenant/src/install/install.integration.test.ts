import { describePermissions, describeSamples } from "@homeostat/operator-testing";
import { annotations } from "../api/identity.ts";
import { tenantOperator } from "../operator.ts";
import { Bench } from "../testing/bench.ts";
import { scenario, scenarios } from "../testing/crash-scenarios.ts";

/** A tenant with everything it can have, in a namespace that stays: its objects are changed and deleted one by one. */
const everything = scenario(
  async (run) => {
    await run.phase("Running");
    await run.change({ resources: { cpu: { request: "1", limit: "3" } }, server: { replicas: 3 } });
    await run.phase("Running");
    // Changes the owner references of every object.
    await run.change({ deletionPolicy: "Retain" });
    await run.phase("Running");
    await run.change({ deletionPolicy: "Delete", resources: null, server: { replicas: 1 } });
    await run.phase("Running");
    await run.delete();
  },
  {
    prepare: (run) => run.bench.namespace(run.namespace, { annotations: { [annotations.allowAdoption]: run.name } }),
    spec: {
      resources: { cpu: { request: "2", limit: "4" }, memory: { request: "2Gi", limit: "4Gi" } },
      server: { replicas: 2 },
      access: { viewers: [{ kind: "Group", name: "support" }] },
    },
  },
);

const operator = tenantOperator();
const namespace = "neurallog-system";

describeSamples({ operator, namespace, folder: new URL("../../samples/", import.meta.url) });

describePermissions({
  operator,
  namespace,
  cluster: () => Bench.start({ parts: "api" }),
  scenarios: { ...scenarios, everything },
  settling: { settleMs: 2_000, quietMs: 400_000, quietSteps: 6 },
  unused: {
    "create tokenreviews.authentication.k8s.io": "authenticates readers of metrics, which are not served here",
    "create subjectaccessreviews.authorization.k8s.io": "authorizes readers of metrics, which are not served here",
    "get storageclasses.storage.k8s.io": "asks whether volumes can grow when spec.redis.storage grows",
    "list events": "reads why Redis has had too few pods for a minute",
    "patch persistentvolumeclaims": "grows the volumes of Redis",
  },
});
