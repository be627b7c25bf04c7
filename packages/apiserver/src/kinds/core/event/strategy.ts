import { textAt } from "../../../values/fields.ts";
import { fieldAt, nameField, namespaceField, selectable } from "../../selectors/selectable-fields.ts";
import type { KindStrategy } from "../../strategy.ts";
import { eventCells } from "./table.ts";
import { eventValidation } from "./validation.ts";

/** Events of the core group: only a few fields are validated, and quotas do not count them. */
export const coreEventStrategy: KindStrategy = {
  group: "",
  plural: "events",
  allowsCreateOnUpdate: true,
  wholeValidation: eventValidation({ isEventsGroup: false }),
  isUnmeasured: true,
  table: { cells: eventCells },
  fieldSelectors: selectable(
    fieldAt("involvedObject.kind"),
    fieldAt("involvedObject.namespace"),
    fieldAt("involvedObject.name"),
    fieldAt("involvedObject.uid"),
    fieldAt("involvedObject.apiVersion"),
    fieldAt("involvedObject.resourceVersion"),
    fieldAt("involvedObject.fieldPath"),
    fieldAt("reason"),
    fieldAt("reportingComponent"),
    ["source", (event) => textAt(event, "source", "component") || textAt(event, "reportingComponent")],
    fieldAt("type"),
    namespaceField,
    nameField,
  ),
};
