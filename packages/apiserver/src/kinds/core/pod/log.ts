import { ParseError, parseTime } from "@homeostat/core";
import type { Problem } from "@homeostat/schema";
import type { ClusterReader } from "../../../admission/cluster-reader.ts";
import type { LogOptions, LogProvider } from "../../../endpoints/node-provider.ts";
import type { HandlerResponse } from "../../../http/handler.ts";
import type { Query } from "../../../request/query.ts";
import { readBoolean, readInteger } from "../../../request/read-parameter.ts";
import { badRequestStatus, invalidStatus, notFoundStatus } from "../../../status/refusals.ts";
import { StatusError } from "../../../status/status.ts";
import { textAt } from "../../../values/fields.ts";
import { Field } from "../../../validation/field.ts";
import { containerOf } from "./container.ts";

const pods = { group: "", resource: "pods" };

/** Handles a GET of `pods/NAME/log`. A pod without a node has an empty log (204). */
export async function handleLog(
  { namespace, name, query, signal }: { namespace: string; name: string; query: Query; signal: AbortSignal },
  { reader, logs }: { readonly reader: ClusterReader; readonly logs: LogProvider },
): Promise<HandlerResponse> {
  const wanted = readLogOptions(query, name);
  const pod = reader.get({ ...pods, namespace, name });
  if (pod === undefined) throw new StatusError(notFoundStatus(pods, name));
  const container = containerOf(pod, wanted.container);
  const node = textAt(pod, "spec", "nodeName");
  if (node === "") return { status: 204, body: "" };
  checkNode(reader, node);
  const stream = await logs.logs(pod, { ...wanted, container }, signal);
  return { status: 200, headers: { "Content-Type": "text/plain" }, stream };
}

/**
 * Throws a `StatusError` (404) when the node of a pod does not exist, so that no kubelet can be reached.
 *
 * The message calls the node a pod, as that of kube-apiserver does.
 */
export function checkNode(reader: ClusterReader, name: string): void {
  const node = reader.get({ group: "", resource: "nodes", namespace: "", name });
  if (node === undefined) throw new StatusError(notFoundStatus(pods, name));
}

/** Reads the parameters of a log request. Throws the same `StatusError` as kube-apiserver. */
export function readLogOptions(query: Query, podName: string): LogOptions {
  const sinceSeconds = readInteger(query, "sinceSeconds");
  const tailLines = readInteger(query, "tailLines");
  const limitBytes = readInteger(query, "limitBytes");
  const sinceTimeMs = timeOf(query.first("sinceTime"));
  const problems: Problem[] = [];
  const options = new Field({}, "", problems);
  if (tailLines !== undefined && tailLines < 0) {
    options.at("tailLines").invalid("must be greater than or equal to 0", tailLines);
  }
  if (limitBytes !== undefined && limitBytes < 1)
    options.at("limitBytes").invalid("must be greater than 0", limitBytes);
  if (sinceSeconds !== undefined && sinceTimeMs !== undefined) {
    options.as("[]").forbidden("at most one of `sinceTime` or `sinceSeconds` may be specified");
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    options.at("sinceSeconds").invalid("must be greater than 0", sinceSeconds);
  }
  // The parameter belongs to the feature gate `PodLogsQuerySplitStreams`, which is off by default.
  if (query.has("stream")) options.at("stream").forbidden("may not be specified");
  if (problems.length > 0) {
    throw new StatusError(invalidStatus({ group: "", kind: "PodLogOptions" }, podName, problems));
  }
  return {
    container: query.first("container") ?? "",
    isFollowed: readBoolean(query, "follow") ?? false,
    isPrevious: readBoolean(query, "previous") ?? false,
    hasTimestamps: readBoolean(query, "timestamps") ?? false,
    ...(sinceSeconds === undefined ? {} : { sinceSeconds }),
    ...(sinceTimeMs === undefined ? {} : { sinceTimeMs }),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
  };
}

function timeOf(text: string | undefined): number | undefined {
  if (text === undefined || text === "" || text === "null") return undefined;
  try {
    return parseTime(text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new StatusError(badRequestStatus(badTimeText(text)), { cause: error });
  }
}

function badTimeText(text: string): string {
  return `parsing time "${text}" as "2006-01-02T15:04:05Z07:00": cannot parse "${text}" as "2006"`;
}
