import { formatTime, isList, isRecord, type JsonRecord, ownValue, ParseError, parseTime } from "@homeostat/core";
import { quote } from "@homeostat/cel";
import { readFields, writeFields } from "./fields-v1.ts";
import { identityText, type ManagerEntry, type Managers } from "./managers.ts";
import { compareBytes } from "../codec/go-text.ts";

/** What a `metadata.managedFields` says, or why it cannot be read. */
export type ReadManagers =
  | { readonly managers: Managers; readonly problem?: undefined }
  | { readonly managers?: undefined; readonly problem: string };

/** Reads a `metadata.managedFields`. Anything but a list counts as absent; of two entries for one manager the last counts. */
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

/** Why a `metadata.managedFields` cannot be read, in the words of the API server, or `undefined`. */
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

/** Writes a `metadata.managedFields`: appliers first, then by time, name, version and subresource. */
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

/** Whole seconds: entries written to JSON know no finer time, so neither may their order. */
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
 * Whether a writer asks for all ownership to be forgotten: an empty list, or a list of one empty entry, since an empty
 * list does not survive every client.
 */
export function isReset(managedFields: unknown): boolean {
  if (!isList(managedFields)) return false;
  const [only, ...others] = managedFields;
  return only === undefined || (others.length === 0 && isRecord(only) && Object.keys(only).length === 0);
}
