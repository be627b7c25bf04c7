// A shop on an embedded API server with the installed operator, and users with different rights.

import type { Client } from "@homeostat/client";
import { FakeClock, type KubeObject } from "@homeostat/core";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Service } from "@homeostat/kubernetes/core/v1";
import { Role, RoleBinding } from "@homeostat/kubernetes/rbac/v1";
import { grant, type InstalledOperator, installOperator, type Right } from "@homeostat/operator-testing";
import { group, systemNamespace } from "../api/identity.ts";
import { SandboxPolicy, type SandboxPolicyInput } from "../api/sandbox-policy.ts";
import { sandboxOperator } from "../operator.ts";

const rbac = "rbac.authorization.k8s.io";

/** Rights of the role `sandbox-developer` in the whole cluster. */
const developer: Right = [group, "sandboxes", "create get list update patch delete"];
const developerOfOthers: readonly Right[] = ["routegroups", "localworkloads", "sandboxpolicies", "routetables"].map(
  (resource) => [group, resource, "create get list update patch delete"] as const,
);

/** A shop: namespaces, workloads and users. */
export class Shop implements AsyncDisposable {
  readonly installed: InstalledOperator;
  readonly client: Client;
  readonly #users = new Set<string>();

  private constructor(installed: InstalledOperator) {
    this.installed = installed;
    this.client = installed.client;
  }

  static async open(): Promise<Shop> {
    // The deadline of webhooks has a test of its own. Here it would depend on what else the machine does.
    const operator = sandboxOperator({ clock: new FakeClock() });
    return new Shop(await installOperator(operator, systemNamespace));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.installed[Symbol.asyncDispose]();
  }

  /** Creates a namespace with a policy, unless `policy` is absent. */
  async namespace(
    name: string,
    policy?: SandboxPolicyInput["spec"],
    labels: Record<string, string> = {},
  ): Promise<void> {
    await this.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
    if (policy === undefined) return;
    await this.client.create(
      SandboxPolicy,
      SandboxPolicy.make({ metadata: { name: "default", namespace: name }, spec: policy }),
    );
  }

  /** Creates a Deployment whose pods read the Secret `<name>-db`, and a Service of the same name. */
  async workload(namespace: string, name: string): Promise<void> {
    const labels = { app: name };
    await this.client.create(Deployment, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { namespace, name, labels },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: "app", image: `${name}:1`, envFrom: [{ secretRef: { name: `${name}-db` } }] }] },
        },
      },
    });
    await this.service(namespace, name, labels);
  }

  async service(namespace: string, name: string, selector: Record<string, string>): Promise<void> {
    const metadata = { namespace, name };
    await this.client.create(Service, {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: { selector, ports: [{ port: 80 }] },
    });
  }

  /** Returns a client of a user who may write all kinds of the operator, and nothing else. */
  async developer(user: string, team = "people"): Promise<Client> {
    if (!this.#users.has(user)) {
      await grant(this.client, { name: `developer-${user}`, user, rights: [developer, ...developerOfOthers] });
      this.#users.add(user);
    }
    return this.installed.clientOf(user, team);
  }

  /** Grants a user rights in one namespace, optionally only for objects with these names. */
  async allow(user: string, namespace: string, rights: readonly Right[], resourceNames?: string[]): Promise<void> {
    const name = `${user}-${rights.map(([, resource]) => resource.replaceAll("/", "-")).join("-")}`;
    const metadata = { namespace, name };
    await this.client.create(Role, {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata,
      rules: rights.map(([apiGroup, resource, verbs]) => ({
        apiGroups: [apiGroup],
        resources: [resource],
        verbs: verbs.split(" "),
        ...(resourceNames !== undefined && { resourceNames }),
      })),
    });
    await this.client.create(RoleBinding, {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name },
      subjects: [{ kind: "User", apiGroup: rbac, name: user }],
    });
  }

  /** Grants a user the right to create Deployments and Services in a namespace. */
  async allowCreating(user: string, namespace: string): Promise<void> {
    await this.allow(user, namespace, [
      ["apps", "deployments", "create"],
      ["", "services", "create"],
    ]);
  }
}

/** Returns the annotations of an object. */
export function annotationsOf(object: KubeObject): Readonly<Record<string, string>> {
  return object.metadata.annotations ?? {};
}
