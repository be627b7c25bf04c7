// Validation of events. `events.k8s.io` requires fields that events of the core group may lack.

import { dnsSubdomainProblems, isEqual, isRecord, type JsonRecord } from "@homeostat/core";
import { checkObjectMeta, type Problem } from "@homeostat/schema";
import { toCoreV1 } from "../../events/event/conversion.ts";
import { Field } from "../../../validation/field.ts";
import { segmentName } from "../../../validation/names.ts";
import type { WholeValidation } from "../../strategy.ts";

const textBytesMax = 128;
const noteBytesMax = 1024;

/** Returns the validation of events of one group; `isEventsGroup` for `events.k8s.io`, whose rules are stricter. */
export function eventValidation({ isEventsGroup }: { readonly isEventsGroup: boolean }): WholeValidation {
  return {
    create: (object) => {
      const problems = checkNewEvent(object, isEventsGroup);
      return problems.length > 0 ? problems : checkPlainMeta(object);
    },
    update: (object, old) => checkChangedEvent(object, old, isEventsGroup),
  };
}

function checkPlainMeta(object: JsonRecord): Problem[] {
  const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
  return checkObjectMeta(metadata, "metadata", { isNamespaced: true, nameProblems: segmentName });
}

function checkNewEvent(object: JsonRecord, isEventsGroup: boolean): Problem[] {
  const problems: Problem[] = [];
  const event = new Field(isEventsGroup ? toCoreV1(object) : object, "", problems);
  checkAlways(event, isEventsGroup);
  if (!isEventsGroup) return problems;
  checkSeries(event.at("series"));
  if (!event.at("eventTime").isSet) event.at("eventTime").required();
  const { text: type } = event.at("type");
  if (type !== "Normal" && type !== "Warning") event.at("type").with("").invalid(`has invalid value: ${type}`);
  for (const name of ["firstTimestamp", "lastTimestamp"]) {
    if (event.at(name).isSet) event.at(name).with("").invalid("needs to be unset");
  }
  if (event.at("count").number !== 0) event.at("count").with("").invalid("needs to be unset");
  const source = event.at("source");
  if (source.at("component").text !== "" || source.at("host").text !== "") source.with("").invalid("needs to be unset");
  return problems;
}

/** Immutable fields of events in `events.k8s.io`. */
const immutableFields = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "reason",
  "type",
  "eventTime",
  "action",
  "related",
];

function checkChangedEvent(object: JsonRecord, old: JsonRecord, isEventsGroup: boolean): Problem[] {
  const problems: Problem[] = [];
  const event = new Field(isEventsGroup ? toCoreV1(object) : object, "", problems);
  checkAlways(event, isEventsGroup);
  if (!isEventsGroup) return problems;
  const before = new Field(toCoreV1(old), "", []);
  if (!isEqual(event.at("series").value, before.at("series").value)) checkSeries(event.at("series"));
  for (const name of immutableFields) {
    if (!isEqual(event.at(name).value ?? null, before.at(name).value ?? null))
      event.at(name).invalid("field is immutable");
  }
  const [controller, instance] = [event.at("reportingComponent"), event.at("reportingInstance")];
  if (controller.text !== before.at("reportingComponent").text)
    controller.as("reportingController").invalid("field is immutable");
  if (instance.text !== before.at("reportingInstance").text) instance.invalid("field is immutable");
  return problems;
}

function checkAlways(event: Field, isEventsGroup: boolean): void {
  const namespace = event.at("metadata").at("namespace");
  const about = event.at("involvedObject").at("namespace");
  const isDefaultNamespace = namespace.text === "default" || namespace.text === "";
  const mismatch = "does not match event.namespace";
  if (!event.at("eventTime").isSet) {
    if (about.text === "" ? !isDefaultNamespace : about.text !== namespace.text)
      about.with(about.text).invalid(mismatch);
  } else {
    const isNamespaceMissing = about.text === "" && namespace.text !== "default" && namespace.text !== "kube-system";
    if (isNamespaceMissing) about.with("").invalid(mismatch);
    const controller = event.at("reportingComponent").as(isEventsGroup ? "reportingController" : "reportingComponent");
    if (controller.text === "") controller.required();
    controller.with(controller.text).qualifiedName();
    checkRequiredText(event.at("reportingInstance"));
    checkRequiredText(event.at("action"));
    checkRequiredText(event.at("reason"));
    const note = event.at("message");
    if (Buffer.byteLength(note.text) > noteBytesMax)
      note.with("").invalid(`can have at most ${noteBytesMax} characters`);
  }
  for (const problem of dnsSubdomainProblems(namespace.text)) namespace.as("namespace").invalid(problem);
}

function checkRequiredText(field: Field): void {
  if (field.text === "") field.required();
  if (Buffer.byteLength(field.text) > textBytesMax)
    field.with("").invalid(`can have at most ${textBytesMax} characters`);
}

function checkSeries(series: Field): void {
  if (!series.isSet) return;
  if (series.at("count").number < 2) series.at("count").with("").invalid("should be at least 2");
  if (!series.at("lastObservedTime").isSet) series.at("lastObservedTime").required();
}
