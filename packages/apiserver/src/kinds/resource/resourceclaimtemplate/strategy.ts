import { nameAndAgeCells } from "../../../tables/plain-cells.ts";
import type { KindStrategy } from "../../strategy.ts";
import { deviceRequestDefaults } from "../device-requests.ts";

/** ResourceClaimTemplates: device requests have the same defaults as in ResourceClaims. */
export const resourceClaimTemplateStrategy: KindStrategy = {
  group: "resource.k8s.io",
  plural: "resourceclaimtemplates",
  returnsDeletedObject: true,
  defaults: deviceRequestDefaults,
  table: { cells: nameAndAgeCells },
};
