import type { Layer, Request } from "@homeostat/client";

/** One thing that a program did at an API server, in the words of RBAC. */
export interface UsedAccess {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** The namespace; undefined for objects without one, and for a request about all namespaces. */
  readonly namespace?: string;
  /** The name, where one object was meant. */
  readonly name?: string;
}

/** Records what requests ask for. */
export interface AccessRecorder {
  /** Goes among the layers of a client. */
  readonly layer: Layer;
  /** What was asked for so far, each once, in the order it was first asked for. */
  used(): readonly UsedAccess[];
  /** What the server has refused with 403 so far. */
  refused(): readonly UsedAccess[];
}

/**
 * Records which rights a program uses, to compare them with those that it has.
 *
 * What a request asks for is read from its method and path, exactly as an API server does before it asks who may. So it is
 * right for whatever sends it. Requests that are not about resources (discovery, health) are left out.
 *
 * @example
 * const recorder = accessRecorder();
 * const client = createClient(connection, { layers: [recorder.layer] });
 * …
 * assert.deepEqual(compareAccess(operatorAccess(shop), recorder.used()), { missing: [], unused: [] });
 */
export function accessRecorder(): AccessRecorder {
  const used = new Map<string, UsedAccess>();
  const refused = new Map<string, UsedAccess>();
  return {
    layer: (next) => ({
      async send(request) {
        const needs = accessesOf(request);
        const response = await next.send(request);
        for (const need of needs) {
          // An apply that finds nothing creates: the server asks for that right too, and the answer tells.
          if (need.verb === "create" && request.method === "PATCH" && response.status !== 201) continue;
          used.set(JSON.stringify(need), need);
          if (response.status === 403) refused.set(JSON.stringify(need), need);
        }
        return response;
      },
    }),
    used: () => [...used.values()],
    refused: () => [...refused.values()],
  };
}

/** What a request asks for; for an apply also the right to create, which it needs where nothing is there. */
function accessesOf(request: Pick<Request, "method" | "path" | "headers">): UsedAccess[] {
  const url = new URL(request.path, "http://server");
  const place = placeOf(url.pathname);
  if (place === undefined) return [];
  const verb = verbOf(request.method, place.name, url.searchParams);
  const access = { verb, ...place };
  const isApply = verb === "patch" && /apply-patch/.test(String(request.headers?.["content-type"] ?? ""));
  if (!isApply || place.subresource !== undefined) return [access];
  return [access, { ...access, verb: "create" }];
}

function verbOf(method: Request["method"], name: string | undefined, query: URLSearchParams): string {
  switch (method) {
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return name === undefined ? "deletecollection" : "delete";
    case "GET":
      if (query.get("watch") === "true" || query.get("watch") === "1") return "watch";
      return name === undefined ? "list" : "get";
  }
}

/** `/api/v1/namespaces/shop/pods/web/status` taken apart; undefined for what is no resource. */
function placeOf(path: string): Omit<UsedAccess, "verb"> | undefined {
  const steps = path.split("/").slice(1).map(decodeURIComponent);
  const group = steps[0] === "api" ? "" : steps[0] === "apis" ? steps[1] : undefined;
  const rest = steps.slice(group === "" ? 2 : 3);
  if (group === undefined || rest.length === 0) return undefined;
  const isInNamespace = rest[0] === "namespaces" && rest.length > 2 && !namespaceParts.has(rest[2] ?? "");
  const namespace = isInNamespace ? rest[1] : undefined;
  const [resource, name, subresource] = isInNamespace ? rest.slice(2) : rest;
  if (resource === undefined) return undefined;
  return {
    group,
    resource,
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
}

/** What comes after the name of a namespace and is a part of it, not a resource in it. */
const namespaceParts = new Set(["status", "finalize"]);
