// An API server of few words: access reviews, discovery, one Lease, and events.

import type { Body, Request, Response, Transport } from "@homeostat/client";
import { NetworkError } from "@homeostat/core";

/** Answers what a manager asks, and keeps what it was told. */
export class FakeServer implements Transport {
  /** Every request as `METHOD path`, in order; reviews and discovery left out. */
  readonly requests: string[] = [];
  readonly events: { reason: string; note: string }[] = [];
  readonly auditIds: (string | undefined)[] = [];
  /** What is not allowed: `list example.com/tenants`. */
  readonly denied: Set<string> = new Set();
  lease: Record<string, unknown> | undefined;
  /** Whether nothing is answered at all. */
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
      return answer(201, JSON.parse(String(request.body)));
    }
    const audit = request.headers?.["audit-id"];
    this.auditIds.push(typeof audit === "string" ? audit : undefined);
    return answer(201, JSON.parse(String(request.body)));
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
    return answer(201, { status: { allowed: !this.denied.has(`${verb} ${group}/${resource}`) } });
  }

  #discover(path: string): Response {
    if (path === "/api") return answer(200, { kind: "APIVersions", versions: ["v1"] });
    const groups = ["example.com", "coordination.k8s.io", "events.k8s.io"];
    if (path === "/apis") {
      const list = groups.map((name) => {
        const version = { groupVersion: `${name}/v1`, version: "v1" };
        return { name, versions: [version], preferredVersion: version };
      });
      return answer(200, { kind: "APIGroupList", groups: list });
    }
    const names = ["tenants", "orders", "tenants/status", "leases", "events"];
    const resources = names.map((name) => ({ name, kind: "Any", namespaced: true, singularName: "", verbs: ["get"] }));
    return answer(200, { kind: "APIResourceList", groupVersion: "v1", resources });
  }

  #leases({ method, body }: Request): Response {
    if (method === "GET") return this.lease === undefined ? failure(404, "NotFound") : answer(200, this.lease);
    const sent = JSON.parse(String(body)) as { metadata: { resourceVersion?: string } };
    if (method === "POST" && this.isNamespaceMissing) return failure(404, "NotFound", "namespaces");
    if (method === "POST" && this.lease !== undefined) return failure(409, "AlreadyExists");
    const held = this.lease?.["metadata"] as { resourceVersion: string } | undefined;
    if (method === "PUT" && held?.resourceVersion !== sent.metadata.resourceVersion) return failure(409, "Conflict");
    this.#version += 1;
    this.lease = { ...sent, metadata: { ...sent.metadata, resourceVersion: String(this.#version) } };
    return answer(200, this.lease);
  }
}

function failure(code: number, reason: string, kind = "leases"): Response {
  return answer(code, {
    kind: "Status",
    status: "Failure",
    code,
    reason,
    message: reason,
    details: { name: kind === "namespaces" ? "system" : "x", kind },
  });
}

function answer(status: number, value: unknown): Response {
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
