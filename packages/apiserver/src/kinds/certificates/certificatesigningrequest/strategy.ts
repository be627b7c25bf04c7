import { humanDuration } from "@homeostat/core";
import { isSet, listAt, numberAt, textAt } from "../../../tables/read.ts";
import { age, nameOf, orWord } from "../../../tables/words.ts";
import { fieldAt, nameField, selectable } from "../../shared/selectable-fields.ts";
import type { KindStrategy } from "../../strategy.ts";

/** CertificateSigningRequests: only the subresource `approval` writes conditions. */
export const certificateSigningRequestStrategy: KindStrategy = {
  group: "certificates.k8s.io",
  plural: "certificatesigningrequests",
  resetFields: [["spec"], ["status"]],
  status: { resetFields: [["spec"], ["status", "conditions"]] },
  table: { cells: signingRequestCells },
  fieldSelectors: selectable(nameField, fieldAt("spec.signerName")),
};

/** Returns the table cells of a signing request. */
function signingRequestCells(object: unknown, nowMs: number): unknown[] {
  const types = listAt(object, "status", "conditions").map((condition) => textAt(condition, "type"));
  const verdict = types.includes("Denied") ? "Denied" : types.includes("Approved") ? "Approved" : "Pending";
  const failed = types.includes("Failed") ? ",Failed" : "";
  const issued = textAt(object, "status", "certificate") === "" ? "" : ",Issued";
  return [
    nameOf(object),
    age(object, nowMs),
    orWord(textAt(object, "spec", "signerName"), "<none>"),
    textAt(object, "spec", "username"),
    isSet(object, "spec", "expirationSeconds")
      ? humanDuration(numberAt(object, "spec", "expirationSeconds") * 1000)
      : "<none>",
    `${verdict}${failed}${issued}`,
  ];
}
