import { unreachableKubelet } from "../../../endpoints/node-provider.ts";
import { labelName } from "../../../validation/names.ts";
import { fieldAt, nameField, namespaceField, selectable } from "../../selectors/selectable-fields.ts";
import type { KindStrategy } from "../../strategy.ts";
import { serviceDefaults } from "./defaults.ts";
import { serviceProxyTarget } from "./proxy.ts";
import { serviceQuota } from "./quota.ts";
import { checkServiceStatus } from "./status.ts";
import { serviceCells } from "./table.ts";
import { checkChangedService, keepAddresses } from "./update.ts";
import { checkService } from "./validation.ts";
import { serviceWarnings } from "./warnings.ts";

/** Services. Admission allocates their addresses and node ports; see `allocation.ts`. */
export const serviceStrategy: KindStrategy = {
  group: "",
  plural: "services",
  allowsCreateOnUpdate: true,
  returnsDeletedObject: true,
  registryPath: "services/specs",
  defaults: serviceDefaults,
  prepareForUpdate: keepAddresses,
  validateName: labelName,
  validate: checkService,
  validateUpdate: checkChangedService,
  status: { validate: checkServiceStatus },
  warnings: serviceWarnings,
  endpoints: ({ nodes }) => [
    {
      subresource: "proxy",
      handle: async (authorized) => {
        const target = serviceProxyTarget(authorized.request.info, authorized.parts.registry);
        if (nodes.proxy === undefined) throw unreachableKubelet();
        return nodes.proxy(target, authorized);
      },
    },
  ],
  quota: serviceQuota,
  table: { cells: serviceCells },
  fieldSelectors: selectable(namespaceField, nameField, fieldAt("spec.clusterIP"), fieldAt("spec.type")),
};
