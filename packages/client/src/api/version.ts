import { isRecord, ownValue } from "@homeostat/core";
import type { Request } from "../transport/transport.ts";
import { type Caller, callJson, type CallOptions, malformed } from "./call.ts";

/** Which Kubernetes the server is. */
export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
  /** `v1.36.3`, with whatever a distribution adds. */
  readonly gitVersion: string;
  /** `linux/amd64`. */
  readonly platform: string;
}

/** Asks the server which Kubernetes it is. */
export async function serverVersion(caller: Caller, { timeouts, signal }: CallOptions = {}): Promise<ServerVersion> {
  const request: Request = {
    method: "GET",
    path: "/version",
    about: { verb: "get", resource: "version" },
    timeouts,
    signal,
  };
  const answer = await callJson(caller, request);
  const text = (key: string): string => {
    const value = isRecord(answer) ? ownValue(answer, key) : undefined;
    return typeof value === "string" ? value : "";
  };
  // Some distributions write "36+".
  const [major, minor] = [text("major"), text("minor")].map((part) => Number.parseInt(part, 10));
  if (major === undefined || minor === undefined || !Number.isInteger(major) || !Number.isInteger(minor)) {
    throw malformed(request, "the answer is not a version");
  }
  return { major, minor, gitVersion: text("gitVersion"), platform: text("platform") };
}
