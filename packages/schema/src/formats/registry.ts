import { isBase64, isDate, isDateTime, isUri, isUuid } from "@homeostat/cel";
import {
  isBsonObjectId,
  isCreditCard,
  isHexColor,
  isIsbn,
  isIsbn10,
  isIsbn13,
  isMac,
  isRgbColor,
  isSocialSecurityNumber,
  isUuid3,
  isUuid4,
  isUuid5,
} from "./codes.ts";
import { isDuration } from "./duration.ts";
import { isEmail } from "./email.ts";
import { isCidr, isIpv4, isIpv6 } from "./ip.ts";
import { isHostname, isLongName, isShortName } from "./names.ts";

/** Reports whether a string has a certain format. */
export type FormatCheck = (text: string) => boolean;

const formats: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ["bsonobjectid", isBsonObjectId],
  ["byte", isBase64],
  ["cidr", isCidr],
  ["creditcard", isCreditCard],
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", isDuration],
  ["email", isEmail],
  ["hexcolor", isHexColor],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["isbn", isIsbn],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["k8slongname", isLongName],
  ["k8sshortname", isShortName],
  ["mac", isMac],
  ["password", () => true],
  ["rgbcolor", isRgbColor],
  ["ssn", isSocialSecurityNumber],
  ["uri", isUri],
  ["uuid", isUuid],
  ["uuid3", isUuid3],
  ["uuid4", isUuid4],
  ["uuid5", isUuid5],
]);

/** Returns the check of a string format; undefined if Kubernetes 1.36 does not know the format. Dashes in the name are ignored. */
export function findTextFormat(name: string): FormatCheck | undefined {
  return formats.get(name.replaceAll("-", ""));
}

/** Returns the format of a node that the API server validates: `""` if it does not match the type of the node. */
export function effectiveFormat(format: string, types: readonly string[]): string {
  const [type = ""] = types.length === 1 ? types : [];
  if (type === "integer") return format === "int32" || format === "int64" ? format : "";
  if (type === "number") return format === "float" || format === "double" ? format : "";
  return (type === "" || type === "string") && findTextFormat(format) !== undefined ? format : "";
}
