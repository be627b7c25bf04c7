// A minimal API server with access reviews, discovery, one Lease, and events.

import type { Body, Request, Response, Transport } from "@homeostat/client";
import { NetworkError } from "@homeostat/core";

/** Responds to the requests of a manager, and records them. */
export class FakeServer implements Transport {
  /** All requests as `METHOD path`, in order, without access reviews and discovery. */
  readonly requests: string[] = [];
  readonly events: { reason: string; note: string }[] = [];
  readonly auditIds: (string | undefined)[] = [];
  /** Denied permissions: `list example.com/tenants`. */
  readonly denied: Set<string> = new Set();
  lease: Record<string, unknown> | undefined;
  /** True if every connection is refused. */
  isDown = false;
  /** True if the namespace of the Lease does not exist. */
  isNamespaceMissing = false;
  reviews = 0;
  #version = 1;

  async send(request: Request): Promise<Response> {
    request.signal?.throwIfAborted();
    if (this.isDown) throw new NetworkError({ socketCode: "ECONNREFUSED", requestSent: false });
    request.beforeSending?.();
    const { method } = request;
    const [path = ""] = request.path.split("?", 1);
    if (path.endsWith("/selfsubjectaccessreviews")) return this.#review(request);
    if (path === "/api" || path === "/apis" || path.startsWith("/api/v1") || /^\/apis\/[^/]+\/v1$/.test(path))
      if (method === "GET") return this.#discover(path);
    this.requests.push(`${method} ${path}`);
    if (path.includes("/leases")) return this.#leases(request);
    if (path.includes("/events") && method === "POST") {
      this.events.push(JSON.parse(String(request.body)) as { reason: string; note: string });
      return respond(201, JSON.parse(String(request.body)));
    }
    const audit = request.headers?.["audit-id"];
    this.auditIds.push(typeof audit === "string" ? audit : undefined);
    return respond(201, JSON.parse(String(request.body)));
  }

  get holder(): string {
    const spec = this.lease?.["spec"] as { holderIdentity?: string } | undefined;
    return spec?.holderIdentity ?? "";
  }

  #review({ body }: Request): Response {
    this.reviews += 1;
    const { spec } = JSON.parse(String(body)) as {
      spec: { resourceAttributes: { verb: string; group: string; resource: string } };
    };
    const { verb, group, resource } = spec.resourceAttributes;
    return respond(201, { status: { allowed: !this.denied.has(`${verb} ${group}/${resource}`) } });
  }

  #discover(path: string): Response {
    if (path === "/api") return respond(200, { kind: "APIVersions", versions: ["v1"] });
    const groups = ["example.com", "coordination.k8s.io", "events.k8s.io"];
    if (path === "/apis") {
      const list = groups.map((name) => {
        const version = { groupVersion: `${name}/v1`, version: "v1" };
        return { name, versions: [version], preferredVersion: version };
      });
      return respond(200, { kind: "APIGroupList", groups: list });
    }
    const names = ["tenants", "orders", "tenants/status", "leases", "events"];
    const resources = names.map((name) => ({ name, kind: "Any", namespaced: true, singularName: "", verbs: ["get"] }));
    return respond(200, { kind: "APIResourceList", groupVersion: "v1", resources });
  }

  #leases({ method, body }: Request): Response {
    if (method === "GET") return this.lease === undefined ? failure(404, "NotFound") : respond(200, this.lease);
    const sent = JSON.parse(String(body)) as { metadata: { resourceVersion?: string } };
    if (method === "POST" && this.isNamespaceMissing) return failure(404, "NotFound", "namespaces");
    if (method === "POST" && this.lease !== undefined) return failure(409, "AlreadyExists");
    const held = this.lease?.["metadata"] as { resourceVersion: string } | undefined;
    if (method === "PUT" && held?.resourceVersion !== sent.metadata.resourceVersion) return failure(409, "Conflict");
    this.#version += 1;
    this.lease = { ...sent, metadata: { ...sent.metadata, resourceVersion: String(this.#version) } };
    return respond(200, this.lease);
  }
}

function failure(code: number, reason: string, kind = "leases"): Response {
  return respond(code, {
    kind: "Status",
    status: "Failure",
    code,
    reason,
    message: reason,
    details: { name: kind === "namespaces" ? "system" : "x", kind },
  });
}

function respond(status: number, value: unknown): Response {
  return { status, headers: { "content-type": "application/json" }, body: bodyOf(JSON.stringify(value)) };
}

function bodyOf(text: string): Body {
  return {
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(text);
    },
    cancel: () => undefined,
  };
}
