import { entriesOf, field, type Server } from "./server.ts";

/** Placeholder names in the template documents; the embedded server replaces them with those of a custom resource. */
const names = { group: "pattern.example.com", version: "v7alpha7" };

/** Reads the documents of a namespaced and of a cluster-scoped custom resource with all subresources. */
export async function readPatterns(server: Server): Promise<Record<string, unknown>> {
  for (const scope of ["Namespaced", "Cluster"]) {
    await server.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition(scope));
  }
  const path = `/openapi/v3/apis/${names.group}/${names.version}`;
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const document = await server.json(path).catch(() => undefined);
    const paths = entriesOf(field(document, "paths")).map(([name]) => name);
    if (
      paths.some((name) => name.includes("namespacedthings/")) &&
      paths.some((name) => name.includes("clusterthings/"))
    ) {
      return { resource: document };
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error("the OpenAPI documents of the template resources did not appear within 30 s");
}

function definition(scope: string): unknown {
  const kind = `${scope}Thing`;
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${names.group}` },
    spec: {
      group: names.group,
      scope,
      names: { kind, plural },
      versions: [
        {
          name: names.version,
          served: true,
          storage: true,
          subresources: {
            status: {},
            scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
          },
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  };
}
