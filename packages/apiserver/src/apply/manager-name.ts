import { utf8Length } from "@homeostat/core";

const nameBytesMax = 128;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/**
 * Returns the manager name for a write: the `fieldManager` parameter, or else the program name at the start of the user
 * agent.
 *
 * @example
 * managerName("", "kubectl/v1.36.0 (linux/amd64)"); // "kubectl"
 */
export function managerName(fieldManager: string, userAgent: string): string {
  if (fieldManager !== "") return fieldManager;
  const [program = ""] = userAgent.split("/", 1);
  let name = "";
  let bytes = 0;
  for (const point of program) {
    if (!printable.test(point)) continue;
    bytes += utf8Length(point);
    if (bytes > nameBytesMax) break;
    name += point;
  }
  return name;
}
