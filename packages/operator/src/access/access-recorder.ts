import type { Layer, Request } from "@homeostat/client";

/** A request to an API server in terms of RBAC. */
export interface UsedAccess {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** The namespace; undefined for cluster-scoped objects and for requests across all namespaces. */
  readonly namespace?: string;
  /** The name of the object; undefined for requests on a collection, including create. */
  readonly name?: string;
}

/** Records the permissions that requests need. */
export interface AccessRecorder {
  /** The layer to add to a client. */
  readonly layer: Layer;
  /** Returns the permissions used so far, each once, in the order of first use. */
  used(): readonly UsedAccess[];
  /** Returns the permissions that the server has refused with 403 so far. */
  refused(): readonly UsedAccess[];
}

/**
 * Creates a recorder of the permissions that a program uses, to compare them with those that it was granted.
 *
 * The permission is derived from the method and path of a request, as the API server does before authorization, so it covers
 * every request whatever code sends it. Non-resource requests (discovery, health) are omitted.
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
          // An apply of a missing object also needs the verb create. Only status 201 tells that it was missing.
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

/** Returns the permissions that a request may need. An apply also needs `create` if the object does not exist. */
function accessesOf(request: Pick<Request, "method" | "path" | "headers">): UsedAccess[] {
  const url = new URL(request.path, "http://server");
  const target = targetOf(url.pathname);
  if (target === undefined) return [];
  const verb = verbOf(request.method, target.name, url.searchParams);
  // As in kube-apiserver: a list or watch that selects one name is authorized like a request for that name.
  const selected = collectionVerbs.has(verb) ? selectedName(url.searchParams) : undefined;
  const access = { verb, ...target, ...(selected === undefined ? {} : { name: selected }) };
  const isApply = verb === "patch" && /apply-patch/.test(String(request.headers?.["content-type"] ?? ""));
  if (!isApply || target.subresource !== undefined) return [access];
  return [access, { ...access, verb: "create" }];
}

const collectionVerbs = new Set(["list", "watch", "deletecollection"]);

/** Returns the name that the field selector of a request requires. */
function selectedName(query: URLSearchParams): string | undefined {
  const terms = (query.get("fieldSelector") ?? "").split(",");
  return terms.map((term) => /^metadata\.name==?([^=].*)$/.exec(term)?.[1]).find((name) => name !== undefined);
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

/** Parses `/api/v1/namespaces/shop/pods/web/status`. Returns undefined for non-resource paths. */
function targetOf(path: string): Omit<UsedAccess, "verb"> | undefined {
  const steps = path.split("/").slice(1).map(decodeURIComponent);
  const group = steps[0] === "api" ? "" : steps[0] === "apis" ? steps[1] : undefined;
  const rest = steps.slice(group === "" ? 2 : 3);
  if (group === undefined || rest.length === 0) return undefined;
  const isInNamespace = rest[0] === "namespaces" && rest.length > 2 && !namespaceSubresources.has(rest[2] ?? "");
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

/** Path segments after the name of a namespace that are subresources of the Namespace, not resources in it. */
const namespaceSubresources = new Set(["status", "finalize"]);
