import { eventCells } from "../../core/event/table.ts";
import { eventValidation } from "../../core/event/validation.ts";
import { fieldAt, nameField, namespaceField, selectable } from "../../selectors/selectable-fields.ts";
import type { KindStrategy } from "../../strategy.ts";
import { toCoreV1, toEventsV1 } from "./conversion.ts";

/** Events of `events.k8s.io`: stored as core events, with other field names and stricter validation. */
export const eventStrategy: KindStrategy = {
  group: "events.k8s.io",
  plural: "events",
  allowsCreateOnUpdate: true,
  conversions: { v1: { fromStored: toEventsV1, toStored: toCoreV1 } },
  wholeValidation: eventValidation({ isEventsGroup: true }),
  isUnmeasured: true,
  table: { cells: eventCells },
  fieldSelectors: selectable(
    fieldAt("regarding.kind"),
    fieldAt("regarding.namespace"),
    fieldAt("regarding.name"),
    fieldAt("regarding.uid"),
    fieldAt("regarding.apiVersion"),
    fieldAt("regarding.resourceVersion"),
    fieldAt("regarding.fieldPath"),
    fieldAt("reason"),
    fieldAt("reportingController"),
    fieldAt("type"),
    namespaceField,
    nameField,
  ),
};
