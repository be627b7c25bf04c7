import type { RouteGroup, Sandbox } from "@homeostat/sandbox-operator";

/** An object with a part of its status. */
interface View<T extends { readonly status: object }> {
  readonly status?: Partial<T["status"]> | undefined;
}

/** Returns the state of a sandbox: its phase, and the reason of a failure. */
export function sandboxState({ status }: View<Sandbox>): string {
  const { phase = "Pending", conditions = [] } = status ?? {};
  const ready = conditions.find(({ type }) => type === "Ready");
  return phase === "Failed" && ready !== undefined ? `${phase}: ${ready.message ?? ready.reason ?? ""}` : phase;
}

/** Returns lines about a running sandbox: its routing key, and the address of each fork. */
export function sandboxLines({ status }: View<Sandbox>): string[] {
  const { routingKey = "", services = [] } = status ?? {};
  return [
    `routing key: ${routingKey}`,
    ...services.map(
      ({ name, readyReplicas, replicas, endpoint = "no Service" }) =>
        `fork of ${name}: ${readyReplicas}/${replicas} ready at ${endpoint}`,
    ),
  ];
}

/** The part of a RouteTable that is shown. */
interface TableView {
  readonly spec: { readonly entries: readonly RouteView[] };
}

interface RouteView {
  readonly routingKey: string;
  readonly sandbox: string;
  readonly workload: string;
}

/** Returns the routes of a table: `key pr-42 to cart of pr-42`. */
export function tableState({ spec }: TableView): string {
  const routes = spec.entries.map(
    ({ routingKey, sandbox, workload }) => `key ${routingKey} to ${workload} of ${sandbox}`,
  );
  return routes.length === 0 ? "no routes" : routes.join(", ");
}

/** Returns the state of a group: its key and the sandboxes that it includes. */
export function groupState({ status }: View<RouteGroup>): string {
  const { routingKey, matchedSandboxes = [] } = status ?? {};
  if (routingKey === undefined) return "created";
  return `key ${routingKey} for ${matchedSandboxes.length === 0 ? "no sandbox" : matchedSandboxes.join(", ")}`;
}
