import type { Clock, JsonRecord } from "@homeostat/core";
import { includeOf, listAnswer, objectAnswer } from "../handlers/answers.ts";
import { formOf } from "../handlers/form.ts";
import type { Admitted } from "../handlers/context.ts";
import type { SpecialEndpoint } from "../handlers/special.ts";
import type { Answer } from "../http/handler.ts";
import { resourceOffer } from "../codec/media-types.ts";
import { builtInByResource } from "../kinds/built-in-kinds.ts";
import { selectableValue, selectorProblem } from "../kinds/field-selectors.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { decodeListOptions } from "../request/list-options.ts";
import { badRequest } from "../request/option-problem.ts";
import { decodeGetOptions } from "../request/write-options.ts";
import { methodNotAllowedStatus, notFoundStatus, noSuchResourceStatus } from "../status/refusals.ts";
import { StatusError } from "../status/status.ts";
import { textAt } from "../tables/read.ts";
import { builtInTable } from "../kinds/built-in-table.ts";
import { answeredKind } from "./answered-kind.ts";

const plural = "componentstatuses";

/**
 * The endpoint of `componentstatuses`, which tells whether controllers, scheduler and storage are well.
 *
 * The storage is part of this server. Where nobody runs controllers and a scheduler, it says of them what a real server says
 * when it reaches neither.
 */
export function componentEndpoint({
  clock,
  hasControllers,
}: {
  readonly clock: Pick<Clock, "now">;
  readonly hasControllers: boolean;
}): SpecialEndpoint {
  const handle = async (admitted: Admitted): Promise<Answer> => {
    const kind = componentKind(clock);
    admitted.warn("v1 ComponentStatus is deprecated in v1.19+");
    return answer(admitted, kind, components(hasControllers));
  };
  return { group: "", resource: plural, subresource: "", handle };
}

async function answer(admitted: Admitted, kind: ServedKind, all: readonly JsonRecord[]): Promise<Answer> {
  const { request, parts } = admitted;
  const { name, verb } = request.info;
  const form = formOf(request, resourceOffer({ isCustom: false }), { isRouted: true });
  const context = { kind, form, nowMs: parts.clock.now(), include: includeOf(request.query, form) };
  if (verb === "get") {
    decodeGetOptions(request.query);
    const found = all.find((each) => textAt(each, "metadata", "name") === name);
    if (found === undefined) throw new StatusError(notFoundStatus({ group: "", resource: "componentstatus" }, name));
    return objectAnswer(context, { stored: found }, 200);
  }
  if (verb !== "list") throw new StatusError(methodNotAllowedStatus({ group: "", resource: plural }, verb));
  const { labelSelector, fieldSelector } = decodeListOptions(request.query);
  const problem = kind.selectorProblem(fieldSelector);
  if (problem !== undefined) throw badRequest(problem);
  const chosen = all.filter(
    (each) => labelSelector.matches({}) && fieldSelector.matches((field) => kind.fieldValue(each, field)),
  );
  return listAnswer(
    context,
    {},
    chosen.map((stored) => ({ stored })),
  );
}

/** They are not stored, and of each answer's own. */
function componentKind(clock: Pick<Clock, "now">): ServedKind {
  const row = builtInByResource("", "v1", plural);
  const table = builtInTable("", plural);
  if (row === undefined || table === undefined) throw new StatusError(noSuchResourceStatus());
  return {
    ...answeredKind(row, clock),
    table,
    selectorProblem: (selector) => selectorProblem(row, selector),
    fieldValue: (object, field) =>
      field === "metadata.name" ? textAt(object, "metadata", "name") : selectableValue(row, object, field),
  };
}

function components(hasControllers: boolean): JsonRecord[] {
  const elsewhere = (port: number): string | undefined =>
    hasControllers
      ? undefined
      : `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`;
  return [
    component("controller-manager", elsewhere(10_257)),
    component("scheduler", elsewhere(10_259)),
    component("etcd-0", undefined),
  ];
}

function component(name: string, problem: string | undefined): JsonRecord {
  const condition = { type: "Healthy", status: problem === undefined ? "True" : "False", message: problem ?? "ok" };
  return { kind: "ComponentStatus", apiVersion: "v1", metadata: { name }, conditions: [condition] };
}
