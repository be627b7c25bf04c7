import { nameAndAgeCells } from "../../shared/plain-cells.ts";
import type { KindStrategy } from "../../strategy.ts";
import { deviceRequestDefaults } from "../device-requests.ts";

/** ResourceClaimTemplates. */
export const resourceClaimTemplateStrategy: KindStrategy = {
  group: "resource.k8s.io",
  plural: "resourceclaimtemplates",
  returnsDeletedObject: true,
  defaults: deviceRequestDefaults,
  table: { cells: nameAndAgeCells },
};
