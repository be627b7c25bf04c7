import { nameAndAgeCells } from "../../shared/plain-cells.ts";
import type { KindStrategy } from "../../strategy.ts";
import { tokenEndpoint } from "./token.ts";

/** ServiceAccounts. */
export const serviceAccountStrategy: KindStrategy = {
  group: "",
  plural: "serviceaccounts",
  returnsDeletedObject: true,
  // kube-apiserver validates nothing but metadata. Declared, so that the comparison with it covers the kind.
  validate: () => undefined,
  endpoints: (tools) => [tokenEndpoint(tools)],
  table: { cells: nameAndAgeCells },
};
