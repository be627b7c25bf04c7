import { fileNameOf, type Project, variableOf } from "../project.ts";
import type { ProjectFile } from "./files.ts";

/** Returns the program of a project, its test and its sample. */
export function sourceFiles(project: Project): readonly ProjectFile[] {
  const { name, group, kind, webhooks } = project;
  const file = fileNameOf(kind);
  return [
    { path: "src/main.ts", purpose: "starts the program: `run`, `manifests`, `chart`", text: main },
    { path: "src/operator.ts", purpose: "combines kinds, controllers and webhooks", text: operator(project) },
    {
      path: `src/api/${file}.ts`,
      purpose: `the kind ${kind}: fields, defaults, validation, status`,
      text: api(project),
    },
    {
      path: `src/controllers/${file}.ts`,
      purpose: `the reconciler: describes the objects that a ${kind} owns`,
      text: controller(project),
    },
    ...(webhooks
      ? [
          {
            path: `src/webhooks/${file}.ts`,
            purpose: "rules that the schema cannot express, checked before an object is stored",
            text: webhook(project),
          },
        ]
      : []),
    { path: "src/operator.test.ts", purpose: "tests the operator on an embedded cluster", text: test(project) },
    {
      path: `samples/${file}.yaml`,
      purpose: "an object to try the operator with; the test applies it too",
      text: `apiVersion: ${group}/v1
kind: ${kind}
metadata:
  name: sample
  namespace: default
spec:
  message: Hello from ${name}
`,
    },
  ];
}

const main = `// The program of the operator. Run it with --help for its commands and flags.

import { runOperator } from "homeostat";
import { operator } from "./operator.js";

process.exitCode = await runOperator(operator);
`;

function operator({ name, kind, webhooks }: Project): string {
  const file = fileNameOf(kind);
  const variable = variableOf(kind);
  return `// The operator: CRDs, permissions, manifests and the Helm chart follow from this definition.

import { defineOperator } from "homeostat";
import { ${kind} } from "./api/${file}.js";
import { ${variable}Controller } from "./controllers/${file}.js";
${webhooks ? `import { ${variable}Validation } from "./webhooks/${file}.js";\n` : ""}
export const operator = defineOperator({
  name: "${name}",
  version: "0.1.0",
  resources: [${kind}],
  controllers: [${variable}Controller],
${webhooks ? `  webhooks: [${variable}Validation],\n` : ""}});
`;
}

function api({ group, kind }: Project): string {
  return `// The kind ${kind}. Its TypeScript type, CRD, defaults and validation come from this definition.

import { defineResource, type ObjectOf, s } from "homeostat";

export const ${kind} = defineResource({
  group: "${group}",
  version: "v1",
  kind: "${kind}",
  spec: {
    message: s.string().min(1).max(1000).describe("Text that the ConfigMap contains."),
  },
  status: { configMap: s.string().optional().describe("Name of the ConfigMap.") },
  conditions: ["Ready"],
  columns: [
    { name: "Ready", condition: "Ready" },
    { name: "ConfigMap", jsonPath: ".status.configMap" },
  ],
});
export type ${kind} = ObjectOf<typeof ${kind}>;
`;
}

function controller({ kind }: Project): string {
  const file = fileNameOf(kind);
  return `// Keeps a ConfigMap for each ${kind}. The reconciler describes what should exist; it must not depend on what happened before.

import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { applied, defineController } from "homeostat";
import { ${kind} } from "../api/${file}.js";

export const ${variableOf(kind)}Controller = defineController({
  for: ${kind},
  owns: { configMaps: applied(ConfigMap) },
  async reconcile({ object: { spec }, name, owned, setStatus, setCondition }) {
    // Sends a request only if the ConfigMap differs from this. It is deleted with its owner.
    await owned.configMaps.apply({ metadata: { name }, data: { message: spec.message } });

    // Status and conditions are written once, after this function.
    setStatus({ configMap: name });
    setCondition("Ready", { status: true, reason: "Applied", message: "The ConfigMap is up to date" });
  },
});
`;
}

function webhook({ kind }: Project): string {
  const file = fileNameOf(kind);
  return `// Checks objects before they are stored. Prefer the schema: the API server evaluates it without a request to this program.

import { type Finding, validatingWebhook } from "homeostat";
import { ${kind} } from "../api/${file}.js";

/** Yields all problems of a message, so that the user sees every problem at once. */
export function* messageFindings(message: string): Generator<Finding> {
  if (message !== message.trim()) {
    yield { field: "spec.message", message: "must not start or end with spaces" };
  }
  if (message === message.toUpperCase()) {
    yield { field: "spec.message", message: "is all upper case", warn: true };
  }
}

export const ${variableOf(kind)}Validation = validatingWebhook({
  for: ${kind},
  *validate({ spec }) {
    yield* messageFindings(spec.message);
  },
});
`;
}

function test({ group, kind, webhooks }: Project): string {
  const file = fileNameOf(kind);
  const variable = variableOf(kind);
  const hookTest = `
describe("the webhook of ${kind}", () => {
  it("refuses a message with spaces around it, and warns about upper case", () => {
    assert.deepEqual([...messageFindings("hello")], []);
    assert.deepEqual(
      [...messageFindings(" HELLO")].map(({ message, warn = false }) => [message, warn]),
      [
        ["must not start or end with spaces", false],
        ["is all upper case", true],
      ],
    );
  });
});
`;
  return `// Tests the operator on an embedded cluster, which runs in this process.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { scheduler } from "node:timers/promises";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";
import { createClient, createManager } from "homeostat";
import { ${kind} } from "./api/${file}.js";
import { ${variable}Controller } from "./controllers/${file}.js";
${webhooks ? `import { messageFindings } from "./webhooks/${file}.js";\n` : ""}
describe("the controller of ${kind}", () => {
  const stopping = new AbortController();
  let cluster: Cluster;
  let client: ReturnType<typeof createClient>;
  let running: Promise<void>;

  before(async () => {
    cluster = await startCluster();
    client = createClient(cluster.connection());
    await client.create(CustomResourceDefinition, ${kind}.crd());
    const manager = createManager({
      name: "test",
      connection: cluster.connection(),
      controllers: [${variable}Controller],
      leaderElection: false,
      http: false,
    });
    running = manager.run(stopping.signal);
  });

  after(async () => {
    stopping.abort();
    await running;
    client.close();
    await cluster.stop();
  });

  it("creates a ConfigMap, repairs it, and reports it", async () => {
    const metadata = { namespace: "default", name: "test" };
    await eventually(() =>
      client.create(${kind}, { apiVersion: "${group}/v1", kind: "${kind}", metadata, spec: { message: "hello" } }),
    );
    await eventually(async () => {
      const object = await client.get(${kind}, metadata);
      assert.equal(object?.status?.conditions?.find(({ type }) => type === "Ready")?.status, "True");
    });

    await client.delete(ConfigMap, metadata);

    await eventually(async () => {
      assert.equal((await client.get(ConfigMap, metadata))?.data?.["message"], "hello");
    });
  });

  it("has a sample of its kind", async () => {
    assert.match(await readFile("samples/${file}.yaml", "utf8"), /^apiVersion: ${group.replaceAll(".", "\\.")}\\/v1\\nkind: ${kind}\\n/);
  });
});
${webhooks ? hookTest : ""}
/** Repeats an action until it succeeds, up to 600 times. */
async function eventually<T>(action: () => Promise<T>): Promise<T> {
  for (let left = 600; ; left -= 1) {
    try {
      return await action();
    } catch (error) {
      if (left === 0) throw error;
      await scheduler.wait(50);
    }
  }
}
`;
}
