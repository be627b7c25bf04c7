import { nameAndAgeCells } from "../../../tables/plain-cells.ts";
import type { KindStrategy } from "../../strategy.ts";
import { tokenEndpoint } from "./token.ts";

/** ServiceAccounts: the subresource `token` issues tokens. */
export const serviceAccountStrategy: KindStrategy = {
  group: "",
  plural: "serviceaccounts",
  returnsDeletedObject: true,
  // kube-apiserver validates only metadata. Declared, so that the comparison with kube-apiserver covers the kind.
  validate: () => undefined,
  endpoints: (tools) => [tokenEndpoint(tools)],
  table: { cells: nameAndAgeCells },
};
