import { AlreadyExistsError, NotFoundError } from "@homeostat/core";
import { ConfigMap, Namespace, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { type Controller, defineController, watched } from "@homeostat/runtime";
import { componentLoop } from "../common/controller-loop.ts";
import { isNamespaceTerminating } from "../common/namespace-terminating.ts";
import { type ControlLoop, type ControlParts, fieldManager } from "../common/parts.ts";
import { isRootCaCurrent, rootCa, rootCaName } from "./root-ca.ts";

/** Builds the controller that keeps a ServiceAccount `default` in every namespace. */
export function serviceAccountController(parts: ControlParts): ControlLoop {
  return componentLoop(parts, defaultAccounts(), "serviceaccount-controller");
}

/** Builds the controller that publishes the API server's certificate authority in a ConfigMap of every namespace. */
export function rootCaController(parts: ControlParts, ca: string): ControlLoop {
  return componentLoop(parts, rootCas(ca), "root-ca-certificate-publisher-controller");
}

const concurrency = 4;

function defaultAccounts(): Controller {
  return defineController({
    name: "serviceaccount",
    for: Namespace,
    fieldManager,
    writesStatus: false,
    concurrency,
    watches: {
      accounts: watched(ServiceAccount, {
        metadataOnly: true,
        fields: "metadata.name=default",
        map: ({ metadata }) => [metadata.namespace ?? ""],
      }),
    },
    access: [{ type: ServiceAccount, verbs: ["create"] }],
    async reconcile({ name, watched: { accounts }, client }) {
      if (accounts.has({ namespace: name, name: "default" })) return;
      await ignoreExistingOrDeleted(() =>
        client.create(ServiceAccount, {
          apiVersion: "v1",
          kind: "ServiceAccount",
          metadata: { namespace: name, name: "default" },
        }),
      );
    },
  });
}

function rootCas(ca: string): Controller {
  return defineController({
    name: "root-ca-certificate-publisher",
    for: Namespace,
    fieldManager,
    writesStatus: false,
    concurrency,
    watches: {
      maps: watched(ConfigMap, {
        fields: `metadata.name=${rootCaName}`,
        map: ({ metadata }) => [metadata.namespace ?? ""],
      }),
    },
    access: [{ type: ConfigMap, verbs: ["create", "update"] }],
    async reconcile({ name, watched: { maps }, client }) {
      const found = maps.get({ namespace: name, name: rootCaName });
      if (found === undefined) await ignoreExistingOrDeleted(() => client.create(ConfigMap, rootCa(name, ca)));
      else if (!isRootCaCurrent(found, ca)) await client.update(ConfigMap, rootCa(name, ca, found));
    },
  });
}

/** Performs a create and ignores that the object exists already, or that the namespace is deleted or being deleted. */
async function ignoreExistingOrDeleted(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof AlreadyExistsError || error instanceof NotFoundError) return;
    if (isNamespaceTerminating(error)) return;
    throw error;
  }
}
