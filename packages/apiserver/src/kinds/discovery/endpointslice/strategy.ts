import { isSet, listAt, numberAt, textAt } from "../../../values/fields.ts";
import { age, nameOf, textOr, setOr, firstTexts } from "../../../tables/cell-text.ts";
import type { KindStrategy } from "../../strategy.ts";

/** EndpointSlices: ports have the default protocol TCP and an empty name. */
export const endpointSliceStrategy: KindStrategy = {
  group: "discovery.k8s.io",
  plural: "endpointslices",
  hasGeneration: true,
  defaults: { "discovery.v1.EndpointPort": { values: { name: "", protocol: "TCP" } } },
  table: { cells: endpointSliceCells },
};

function endpointSliceCells(object: unknown, nowMs: number): unknown[] {
  const ports = listAt(object, "ports").map((port) =>
    isSet(port, "port") ? String(numberAt(port, "port")) : setOr(port, ["name"], "*"),
  );
  const addresses = listAt(object, "endpoints").flatMap((endpoint) => listAt(endpoint, "addresses").map(String));
  return [
    nameOf(object),
    textAt(object, "addressType"),
    textOr(firstTexts(ports, 3), "<unset>"),
    textOr(firstTexts(addresses, 3), "<unset>"),
    age(object, nowMs),
  ];
}
