import { isRecord, ownValue } from "@homeostat/core";
import type { Request } from "../transport/transport.ts";
import { type Caller, callJson, type CallOptions, malformed } from "./call.ts";

/** The version of an API server. */
export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
  /** `v1.36.3`, possibly with a suffix of the distribution. */
  readonly gitVersion: string;
  /** `linux/amd64`. */
  readonly platform: string;
}

/** Returns the version of the API server. */
export async function serverVersion(caller: Caller, { timeouts, signal }: CallOptions = {}): Promise<ServerVersion> {
  const request: Request = {
    method: "GET",
    path: "/version",
    about: { verb: "get", resource: "version" },
    timeouts,
    signal,
  };
  const info = await callJson(caller, request);
  const text = (key: string): string => {
    const value = isRecord(info) ? ownValue(info, key) : undefined;
    return typeof value === "string" ? value : "";
  };
  // Some distributions write "36+".
  const [major, minor] = [text("major"), text("minor")].map((part) => Number.parseInt(part, 10));
  if (major === undefined || minor === undefined || !Number.isInteger(major) || !Number.isInteger(minor)) {
    throw malformed(request, "the response is not a version");
  }
  return { major, minor, gitVersion: text("gitVersion"), platform: text("platform") };
}
