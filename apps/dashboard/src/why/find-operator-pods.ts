import { customKinds } from "../views/kinds.ts";
import { openCache } from "../views/view.ts";
import { forwardedEndpoints } from "./forwarded-endpoints.ts";
import type { FindOperators } from "./why-view.ts";

/** Finds the pods of the operators that installed the custom kinds of the cluster, with the rights of the user. */
export const findOperatorPods: FindOperators = async (context, signal) => {
  const stop = new AbortController();
  const cache = openCache(context);
  const running = cache.run(AbortSignal.any([signal, stop.signal]));
  try {
    using kinds = await customKinds(cache, context, signal);
    const operators = [...new Set(kinds.list().flatMap(({ operator }) => operator ?? []))];
    return await forwardedEndpoints(context, operators, signal);
  } finally {
    stop.abort(new Error("the kinds were read"));
    await running;
  }
};
