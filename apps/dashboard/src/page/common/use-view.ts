import { useState } from "preact/hooks";
import type {
  ExplainView,
  PolicyList,
  Propagation,
  RouteGroupDetails,
  RouteMap,
  SandboxDetails,
  SandboxList,
  SandboxSystem,
  TunnelList,
  WorkloadList,
} from "../../api/sandbox-types.ts";
import { type StreamState, useStream } from "./stream.ts";

/** States of the views that send a whole state after each change, by the name of the view, which is also the name of its event. */
interface ViewStates {
  readonly sandboxes: SandboxList;
  readonly sandbox: SandboxDetails;
  readonly "route-group": RouteGroupDetails;
  readonly "route-map": RouteMap;
  readonly tunnels: TunnelList;
  readonly workloads: WorkloadList;
  readonly policies: PolicyList;
  readonly propagation: Propagation;
  readonly "sandbox-system": SandboxSystem;
  readonly explain: ExplainView;
}

/** Follows a view. `data` is undefined before the first state and while the object of the view does not exist. */
export function useView<V extends keyof ViewStates>(
  view: V,
  query: string,
): { readonly data: ViewStates[V] | undefined; readonly stream: StreamState } {
  const [data, setData] = useState<ViewStates[V]>();
  const stream = useStream(view, query, {
    [view]: (text) => setData(JSON.parse(text)),
    missing: () => setData(undefined),
  });
  return { data, stream };
}
