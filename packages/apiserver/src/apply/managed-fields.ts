import { formatTime, isList, isRecord, type JsonRecord, ownValue, ParseError, parseTime } from "@homeostat/core";
import { quote } from "@homeostat/cel";
import { readFields, writeFields } from "./fields-v1.ts";
import { identityText, type ManagerEntry, type Managers } from "./managers.ts";
import { compareBytes } from "../codec/go-text.ts";

/** The parsed `metadata.managedFields`, or the reason why they cannot be parsed. */
export type ReadManagers =
  | { readonly managers: Managers; readonly problem?: undefined }
  | { readonly managers?: undefined; readonly problem: string };

/**
 * Parses `metadata.managedFields`. A value that is not a list counts as absent; the last of several entries for one
 * manager wins.
 */
export function readManagers(managedFields: unknown): ReadManagers {
  const managers = new Map<string, ManagerEntry>();
  if (!isList(managedFields)) return { managers };
  for (const [index, value] of managedFields.entries()) {
    const read = readEntry(value, index);
    if (typeof read === "string") return { problem: read };
    managers.set(identityText(read), read);
  }
  return { managers };
}

/** Returns why `metadata.managedFields` cannot be parsed, in the words of the API server, or `undefined`. */
export function managedFieldsProblem(managedFields: unknown): string | undefined {
  return readManagers(managedFields).problem;
}

function readEntry(value: unknown, index: number): ManagerEntry | string {
  const entry = isRecord(value) ? value : {};
  const operation = ownValue(entry, "operation");
  if (operation !== "Apply" && operation !== "Update") return "operation must be `Apply` or `Update`";
  const apiVersion = textAt(entry, "apiVersion");
  if (apiVersion === "") return "apiVersion must not be empty";
  const fieldsType = textAt(entry, "fieldsType");
  if (fieldsType === "") return `missing fieldsType in managed fields entry ${index}`;
  if (fieldsType !== "FieldsV1") return `invalid fieldsType ${quote(fieldsType)} in managed fields entry ${index}`;
  const manager = textAt(entry, "manager");
  const subresource = textAt(entry, "subresource");
  try {
    const set = readFields(ownValue(entry, "fieldsV1"));
    return { manager, operation, apiVersion, subresource, set, time: timeOf(ownValue(entry, "time")) };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return `error decoding versioned set from managed fields entry ${index}: error decoding set: ${error.problem}: ${error.input}`;
  }
}

function textAt(entry: Readonly<JsonRecord>, name: string): string {
  const value = ownValue(entry, name);
  return typeof value === "string" ? value : "";
}

function timeOf(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return parseTime(value);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return undefined;
  }
}

/** Serializes `metadata.managedFields`: Apply entries first, then by time, manager, version and subresource. */
export function writeManagers(managers: Managers): JsonRecord[] {
  return [...managers.values()].sort(compareEntries).map(writeEntry);
}

function compareEntries(a: ManagerEntry, b: ManagerEntry): number {
  return (
    compareBytes(a.operation, b.operation) ||
    secondsOf(a.time) - secondsOf(b.time) ||
    compareBytes(a.manager, b.manager) ||
    compareBytes(a.apiVersion, b.apiVersion) ||
    compareBytes(a.subresource, b.subresource)
  );
}

/**
 * Converts to whole seconds. The JSON form has no finer times, so the order of entries must not depend on them either.
 */
export function secondsOf(time: number | undefined): number {
  return time === undefined ? 0 : Math.floor(time / 1_000);
}

function writeEntry({ manager, operation, apiVersion, subresource, set, time }: ManagerEntry): JsonRecord {
  return {
    ...(manager === "" ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time: formatTime(secondsOf(time) * 1_000) }),
    fieldsType: "FieldsV1",
    fieldsV1: writeFields(set),
    ...(subresource === "" ? {} : { subresource }),
  };
}

/**
 * Reports whether a client asks to clear all ownership: with an empty list, or with a list of one empty entry, because
 * some clients drop an empty list when they serialize the object.
 */
export function isReset(managedFields: unknown): boolean {
  if (!isList(managedFields)) return false;
  const [only, ...others] = managedFields;
  return only === undefined || (others.length === 0 && isRecord(only) && Object.keys(only).length === 0);
}
