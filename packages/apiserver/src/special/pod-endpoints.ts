import { isRecord, type JsonRecord } from "@homeostat/core";
import type { StoredName } from "../admission/cluster-reader.ts";
import type { Admitted } from "../handlers/context.ts";
import type { SpecialEndpoint } from "../handlers/special.ts";
import type { Answer } from "../http/handler.ts";
import { builtInByResource } from "../kinds/built-in-kinds.ts";
import type { Call } from "../registry/call.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { internalErrorStatus, noSuchResourceStatus, notFoundStatus } from "../status/refusals.ts";
import { type ServerStatus, StatusError } from "../status/status.ts";
import { textAt } from "../tables/read.ts";
import { answeredKind } from "./answered-kind.ts";
import { bindPod } from "./binding.ts";
import { evictPod } from "./eviction.ts";
import { answerLog, type LogProvider } from "./pod-log.ts";
import { type PodStream, podStreamOf, type ProxyPlace, proxyPlaceOf } from "./pod-stream.ts";
import { serviceProxyPlace } from "./service-proxy.ts";
import { registryStore } from "./registry-store.ts";
import { readSent, shownObject } from "./sent.ts";
import type { SpecialRequest, SpecialStore } from "./special-store.ts";

/** What stands for the kubelets of a cluster. */
export interface NodeProvider extends LogProvider {
  /** Connects somebody with a pod: `exec`, `attach`, `portforward`. Without it these are refused. */
  stream?(pod: PodStream, admitted: Admitted): Promise<Answer>;
  /** Passes a request on to a pod: `proxy`. Without it these are refused. */
  proxy?(place: ProxyPlace, admitted: Admitted): Promise<Answer>;
}

const noKubelet = "error dialing backend: no kubelet can be reached from this server";

/** The provider of a server without nodes: whatever is asked of a node fails. */
export const noNodes: NodeProvider = {
  logs: async () => {
    throw new StatusError(internalErrorStatus(noKubelet));
  },
};

/** The endpoints of pods that are more than stored objects. */
export function podEndpoints(nodes: NodeProvider): SpecialEndpoint[] {
  const at = (subresource: string, handle: SpecialEndpoint["handle"]): SpecialEndpoint => ({
    group: "",
    resource: "pods",
    subresource,
    handle,
  });
  return [
    { group: "", resource: "bindings", subresource: "", handle: (admitted) => answerBinding(admitted) },
    at("binding", (admitted) => act(admitted, podsOf(admitted), bindPod)),
    at("eviction", (admitted) => act(admitted, podsOf(admitted), evictPod)),
    at("log", ({ request, signal, parts }) => {
      const { namespace, name } = request.info;
      return answerLog({ namespace, name, query: request.query, signal }, { reader: parts.registry, logs: nodes });
    }),
    ...["exec", "attach", "portforward"].map((subresource) =>
      at(subresource, async (admitted) => {
        const { request, parts } = admitted;
        await connect(admitted);
        const stream = podStreamOf({ ...request.info, query: request.query }, parts.registry);
        if (nodes.stream === undefined) throw new StatusError(internalErrorStatus(noKubelet));
        return nodes.stream(stream, admitted);
      }),
    ),
    at("proxy", async (admitted) => {
      await connect(admitted);
      const place = proxyPlaceOf(admitted.request.info, admitted.parts.registry);
      if (nodes.proxy === undefined) throw new StatusError(internalErrorStatus(noKubelet));
      return nodes.proxy(place, admitted);
    }),
    {
      group: "",
      resource: "services",
      subresource: "proxy",
      handle: async (admitted) => {
        const place = serviceProxyPlace(admitted.request.info, admitted.parts.registry);
        if (nodes.proxy === undefined) throw new StatusError(internalErrorStatus(noKubelet));
        return nodes.proxy(place, admitted);
      },
    },
    {
      group: "",
      resource: "nodes",
      subresource: "proxy",
      handle: async ({ request, parts }) => {
        const node = { group: "", resource: "nodes", namespace: "", name: request.info.name };
        const isThere = parts.registry.get(node) !== undefined;
        throw new StatusError(isThere ? internalErrorStatus(noKubelet) : notFoundStatus(node, node.name));
      },
    },
  ];
}

function podsOf({ parts }: Admitted): ServedKind {
  const kind = parts.kinds.find("", "v1", "pods");
  if (kind === undefined) throw new StatusError(noSuchResourceStatus());
  return kind;
}

/** Lets admission look at a connection. */
async function connect(admitted: Admitted): Promise<void> {
  const { request, user, signal, warn, parts } = admitted;
  const { namespace, name, subresource } = request.info;
  const { admission } = parts.registry.home;
  const connecting = {
    operation: "CONNECT",
    kind: podsOf(admitted),
    subresource,
    namespace,
    name,
    object: undefined,
    oldObject: undefined,
    options: {},
    user,
    isDryRun: false,
    signal,
    warn,
  } as const;
  await admission.mutate(connecting);
  await admission.validate(connecting);
}

/** A `create` of `bindings` itself: the pod is the one that the binding names. */
async function answerBinding(admitted: Admitted): Promise<Answer> {
  const row = builtInByResource("", "v1", "bindings");
  if (row === undefined) throw new StatusError(noSuchResourceStatus());
  return act(admitted, answeredKind(row, admitted.parts.clock), bindPod);
}

type Action = (request: SpecialRequest, store: SpecialStore) => Promise<ServerStatus>;

async function act(admitted: Admitted, kind: ServedKind, action: Action): Promise<Answer> {
  const { request, parts } = admitted;
  const { registry, clock } = parts;
  const { namespace, name } = request.info;
  const sent = await readSent(admitted, kind);
  const store = registryStore(registry, (place) => deletionCall(admitted, place));
  const status = await action(
    {
      namespace,
      name: name === "" ? textAt(sent.object, "metadata", "name") : name,
      object: withoutFields(sent.object),
      isDryRun: sent.isDryRun,
      nowMs: clock.now(),
      validate: () => sent.validate(),
    },
    store,
  );
  return shownObject(admitted, status.code ?? 201, { ...status });
}

/** What was sent without what the server wrote into it. */
function withoutFields(object: JsonRecord): JsonRecord {
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

function deletionCall(admitted: Admitted, { namespace, name }: StoredName): Call {
  const { user, signal, warn } = admitted;
  return {
    kind: podsOf(admitted),
    namespace,
    name,
    subresource: "",
    user,
    userAgent: "",
    signal,
    warn,
  };
}
