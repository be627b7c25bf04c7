import type { AuthorizedRequest } from "../../../handlers/context.ts";
import type { ServedKind } from "../../../resources/served-kind.ts";
import type { EndpointTools, KindEndpoint } from "../../../endpoints/endpoint-tools.ts";
import { unreachableKubelet } from "../../../endpoints/node-provider.ts";
import { noSuchResourceStatus } from "../../../status/refusals.ts";
import { StatusError } from "../../../status/status.ts";
import { bindPod } from "./binding.ts";
import { evictPod } from "./eviction.ts";
import { handleLog } from "./log.ts";
import { handlePodAction } from "./pod-action.ts";
import { podStreamOf, proxyTargetOf } from "./stream.ts";

/** Builds the endpoints of pod subresources that act on a pod or connect to it. */
export function podEndpoints({ nodes }: EndpointTools): KindEndpoint[] {
  return [
    { subresource: "binding", handle: (authorized) => handlePodAction(authorized, podsOf(authorized), bindPod) },
    { subresource: "eviction", handle: (authorized) => handlePodAction(authorized, podsOf(authorized), evictPod) },
    {
      subresource: "log",
      handle: ({ request, signal, parts }) => {
        const { namespace, name } = request.info;
        return handleLog({ namespace, name, query: request.query, signal }, { reader: parts.registry, logs: nodes });
      },
    },
    ...["exec", "attach", "portforward"].map((subresource): KindEndpoint => ({
      subresource,
      handle: async (authorized) => {
        const { request, parts } = authorized;
        await admitConnection(authorized);
        const stream = podStreamOf({ ...request.info, query: request.query }, parts.registry);
        if (nodes.stream === undefined) throw unreachableKubelet();
        return nodes.stream(stream, authorized);
      },
    })),
    {
      subresource: "proxy",
      handle: async (authorized) => {
        await admitConnection(authorized);
        const target = proxyTargetOf(authorized.request.info, authorized.parts.registry);
        if (nodes.proxy === undefined) throw unreachableKubelet();
        return nodes.proxy(target, authorized);
      },
    },
  ];
}

function podsOf({ parts }: AuthorizedRequest): ServedKind {
  const kind = parts.kinds.find("", "v1", "pods");
  if (kind === undefined) throw new StatusError(noSuchResourceStatus());
  return kind;
}

/** Runs admission of the operation CONNECT, which has no object. */
async function admitConnection(authorized: AuthorizedRequest): Promise<void> {
  const { request, user, signal, warn, parts } = authorized;
  const { namespace, name, subresource } = request.info;
  const { admission } = parts.registry.context;
  const connecting = {
    operation: "CONNECT",
    kind: podsOf(authorized),
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
