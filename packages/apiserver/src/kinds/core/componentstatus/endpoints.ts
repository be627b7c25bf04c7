import type { JsonRecord } from "@homeostat/core";
import { resourceOffer } from "../../../codec/media-types.ts";
import { includeOf, listResponse, objectResponse } from "../../../handlers/responses.ts";
import type { AuthorizedRequest } from "../../../handlers/context.ts";
import { formOf } from "../../../handlers/response-form.ts";
import type { HandlerResponse } from "../../../http/handler.ts";
import type { ServedKind } from "../../../resources/served-kind.ts";
import { decodeListOptions } from "../../../request/list-options.ts";
import { badRequest } from "../../../request/option-problem.ts";
import { decodeGetOptions } from "../../../request/write-options.ts";
import type { EndpointTools, KindEndpoint } from "../../../endpoints/endpoint-tools.ts";
import { methodNotAllowedStatus, notFoundStatus } from "../../../status/refusals.ts";
import { StatusError } from "../../../status/status.ts";
import { textAt } from "../../../values/fields.ts";

const plural = "componentstatuses";

/**
 * Builds the endpoint of `componentstatuses`, which reports the health of controllers, scheduler and storage.
 *
 * The storage is part of this server. When no controllers and no scheduler run in the cluster, the endpoint reports the connection errors
 * that kube-apiserver would report.
 */
export function componentEndpoint({ hasControllers }: EndpointTools, kind: ServedKind): KindEndpoint {
  const handle = async (authorized: AuthorizedRequest): Promise<HandlerResponse> => {
    authorized.warn("v1 ComponentStatus is deprecated in v1.19+");
    return respond(authorized, kind, components(hasControllers));
  };
  return { subresource: "", handle };
}

async function respond(
  authorized: AuthorizedRequest,
  kind: ServedKind,
  all: readonly JsonRecord[],
): Promise<HandlerResponse> {
  const { request, parts } = authorized;
  const { name, verb } = request.info;
  const form = formOf(request, resourceOffer({ isCustom: false }), { isRouted: true });
  const context = { kind, form, nowMs: parts.clock.now(), include: includeOf(request.query, form) };
  if (verb === "get") {
    decodeGetOptions(request.query);
    const found = all.find((each) => textAt(each, "metadata", "name") === name);
    if (found === undefined) throw new StatusError(notFoundStatus({ group: "", resource: "componentstatus" }, name));
    return objectResponse(context, { stored: found }, 200);
  }
  if (verb !== "list") throw new StatusError(methodNotAllowedStatus({ group: "", resource: plural }, verb));
  const { labelSelector, fieldSelector } = decodeListOptions(request.query);
  const problem = kind.selectorProblem(fieldSelector);
  if (problem !== undefined) throw badRequest(problem);
  const selected = all.filter(
    (each) => labelSelector.matches({}) && fieldSelector.matches((field) => kind.fieldValue(each, field)),
  );
  return listResponse(
    context,
    {},
    selected.map((stored) => ({ stored })),
  );
}

function components(hasControllers: boolean): JsonRecord[] {
  const connectionError = (port: number): string | undefined =>
    hasControllers
      ? undefined
      : `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`;
  return [
    component("controller-manager", connectionError(10_257)),
    component("scheduler", connectionError(10_259)),
    component("etcd-0", undefined),
  ];
}

function component(name: string, problem: string | undefined): JsonRecord {
  const condition = { type: "Healthy", status: problem === undefined ? "True" : "False", message: problem ?? "ok" };
  return { kind: "ComponentStatus", apiVersion: "v1", metadata: { name }, conditions: [condition] };
}
