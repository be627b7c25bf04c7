import type { ResourceType } from "@homeostat/core";
import type { RunRef } from "../api/load-tests.ts";
import type { ObjectRef } from "../api/types.ts";
import { RequestError } from "../errors.ts";
import { comparisonView, loadTestView } from "../load-tests/load-tests-view.ts";
import { locustTest } from "../load-tests/read-test.ts";
import { readRunRef } from "../present/run-refs.ts";
import { tenantView } from "../tenants/tenant-view.ts";
import type { RunView, ViewContext } from "../views/view.ts";
import type { FindOperators } from "../why/why-view.ts";
import type { ViewRequest } from "./views.ts";

/** An object of a request with its kind, and the operators that may have data about it. */
interface Target {
  readonly type: ResourceType;
  readonly ref: ObjectRef;
  readonly findOperators: FindOperators;
}

/** Views with the data of single kinds, by `KIND.GROUP`. Their messages have the event `part`, and follow those of the resource in the same stream. */
const kindViews: ReadonlyMap<string, (context: ViewContext, target: Target) => RunView> = new Map([
  ["LocustTest.locust.io", openLoadTest],
  ["Tenant.neurallog.io", tenantView],
]);

/** Returns the view with the data that only the kind of an object has; undefined if it has none. */
export function openKindView(context: ViewContext, target: Target): RunView | undefined {
  return kindViews.get(`${target.type.kind}.${target.type.group}`)?.(context, target);
}

function openLoadTest(context: ViewContext, { type, ref: { namespace = "", name }, findOperators }: Target): RunView {
  return loadTestView(context, { type, ref: { namespace, name }, findOperators });
}

/** Largest number of runs of a comparison. */
const comparedMax = 6;

/** Opens the comparison of the runs that a query names: `test=shop/checkout&test=shop/checkout@2`. */
export async function openComparison(
  { query, session, signal, context: { findOperators } }: ViewRequest,
  context: ViewContext,
): Promise<RunView> {
  const refs = query.getAll("test").map((text): RunRef => {
    const ref = readRunRef(text);
    if (ref === undefined) throw new RequestError(400, `${text} is not NAMESPACE/NAME or NAMESPACE/NAME@RUN.`);
    return ref;
  });
  if (refs.length > comparedMax) throw new RequestError(400, `At most ${comparedMax} runs can be compared.`);
  const found = await session.client.mapper.byKind(locustTest, signal);
  if (found === undefined) throw new RequestError(404, "The API server does not serve the kind LocustTest.");
  const { version, plural, scope } = found;
  const type: ResourceType = { ...locustTest, version, plural, scope };
  return comparisonView(context, { type, refs, findOperators });
}
