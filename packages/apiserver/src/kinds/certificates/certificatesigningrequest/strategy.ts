import { humanDuration, type JsonRecord } from "@homeostat/core";
import { isSet, listAt, numberAt, textAt } from "../../../values/fields.ts";
import { age, nameOf, textOr } from "../../../tables/cell-text.ts";
import { carryOver } from "../../updates/carry-over.ts";
import { partOf } from "../../defaulting/fill.ts";
import { segmentName } from "../../../validation/names.ts";
import { fieldAt, nameField, selectable } from "../../selectors/selectable-fields.ts";
import type { CreateContext, KindStrategy } from "../../strategy.ts";
import { prepareApproval, prepareSigningStatus } from "./approval.ts";
import { validateApproval, validateSigningRequest, validateSigningStatus } from "./validation.ts";

/**
 * CertificateSigningRequests: the server records the requester, nothing in the spec ever changes, and only the subresource
 * `approval` approves or denies.
 */
export const certificateSigningRequestStrategy: KindStrategy = {
  group: "certificates.k8s.io",
  plural: "certificatesigningrequests",
  prepareForCreate: prepareNewSigningRequest,
  prepareForUpdate: (object, old) => carryOver(object, old, "spec"),
  resetFields: [["spec"], ["status"]],
  validateName: segmentName,
  validate: validateSigningRequest,
  status: {
    resetFields: [["spec"], ["status", "conditions"]],
    prepare: prepareSigningStatus,
    validate: validateSigningStatus,
  },
  approval: {
    resetFields: [["spec"], ["status", "certificate"]],
    prepare: prepareApproval,
    validate: validateApproval,
  },
  table: { cells: signingRequestCells },
  fieldSelectors: selectable(nameField, fieldAt("spec.signerName")),
};

/**
 * Sets the identity of the requester, whatever the client sent: approvers and signers trust these fields, so a client that
 * could write them could obtain the certificate of another user.
 */
function prepareNewSigningRequest(object: JsonRecord, { user }: CreateContext): void {
  const spec = partOf(object, "spec");
  for (const field of ["username", "uid", "groups", "extra"]) delete spec[field];
  spec["username"] = user.name;
  if (user.uid !== "") spec["uid"] = user.uid;
  if (user.groups.length > 0) spec["groups"] = [...user.groups];
  if (Object.keys(user.extra).length > 0) {
    spec["extra"] = Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]]));
  }
  object["status"] = {};
}

function signingRequestCells(object: unknown, nowMs: number): unknown[] {
  const types = listAt(object, "status", "conditions").map((condition) => textAt(condition, "type"));
  const verdict = types.includes("Denied") ? "Denied" : types.includes("Approved") ? "Approved" : "Pending";
  const failed = types.includes("Failed") ? ",Failed" : "";
  const issued = textAt(object, "status", "certificate") === "" ? "" : ",Issued";
  return [
    nameOf(object),
    age(object, nowMs),
    textOr(textAt(object, "spec", "signerName"), "<none>"),
    textAt(object, "spec", "username"),
    isSet(object, "spec", "expirationSeconds")
      ? humanDuration(numberAt(object, "spec", "expirationSeconds") * 1000)
      : "<none>",
    `${verdict}${failed}${issued}`,
  ];
}
