// Requests that the server rejects (or accepts without returning an object), and the Status that our code returns.

import type { ServerStatus } from "@homeostat/apiserver";
import {
  alreadyExistsStatus,
  badRequestStatus,
  conflictStatus,
  deleted,
  deletePreconditionStatus,
  forbiddenAttemptStatus,
  invalidStatus,
  methodNotAllowedStatus,
  methodUnknownStatus,
  modifiedText,
  noSuchResourceStatus,
  notAcceptableStatus,
  notFoundStatus,
  listedMediaTypes,
  unauthorizedStatus,
  unknownAcceptStatus,
  versionTooLargeStatus,
} from "@homeostat/apiserver/internal";
import type { JsonRecord } from "@homeostat/core";
import type { RawRequest } from "./raw.ts";

/** A request and our expected response; `found` is the real response, for values that only the server knows. */
export interface ErrorCase {
  readonly title: string;
  readonly before?: readonly RawRequest[];
  readonly request: RawRequest;
  readonly expected: (found: JsonRecord) => ServerStatus;
}

const configMaps = "/api/v1/namespaces/codec/configmaps";
const deployments = "/apis/apps/v1/namespaces/codec/deployments";
const widgets = "/apis/codec.example/v1/namespaces/codec/widgets";
const listed = listedMediaTypes({ isStream: false });
const listedStreams = listedMediaTypes({ isStream: true });
const headers = { "content-type": "application/json" };
const configMap = { group: "", kind: "ConfigMap" };
const resource = { group: "", resource: "configmaps" };
const apps = { group: "apps", resource: "deployments" };
const jane = { "impersonate-user": "jane<&>" };

/** Returns the uid in the details or message of a Status. */
function uidIn(found: JsonRecord): string {
  const { details } = found as { details?: { uid?: string } };
  return details?.uid ?? "";
}

function match(found: JsonRecord, pattern: RegExp): string {
  return pattern.exec(String(found["message"]))?.[1] ?? "";
}

/** All requests in order: some depend on objects of earlier ones. */
export const errorCases: readonly ErrorCase[] = [
  {
    title: "an object that does not exist",
    request: { path: `${configMaps}/none` },
    expected: () => notFoundStatus(resource, "none"),
  },
  {
    title: "an object of a group that does not exist",
    request: { path: `${deployments}/none` },
    expected: () => notFoundStatus(apps, "none"),
  },
  {
    title: "a name in use",
    request: { method: "POST", path: configMaps, headers, body: '{"metadata":{"name":"one"}}' },
    expected: () => alreadyExistsStatus(resource, "one"),
  },
  {
    title: "an outdated resourceVersion",
    request: {
      method: "PUT",
      path: `${configMaps}/one`,
      headers,
      body: '{"metadata":{"name":"one","resourceVersion":"1"}}',
    },
    expected: () => conflictStatus(resource, "one", modifiedText),
  },
  {
    title: "an outdated resourceVersion of a Deployment",
    request: {
      method: "PATCH",
      path: `${deployments}/one`,
      headers: { "content-type": "application/merge-patch+json" },
      body: '{"metadata":{"resourceVersion":"1","labels":{"a":"b"}}}',
    },
    expected: () => conflictStatus(apps, "one", modifiedText),
  },
  {
    title: "another uid as precondition",
    request: { method: "DELETE", path: `${configMaps}/one`, headers, body: '{"preconditions":{"uid":"other"}}' },
    expected: (found) => {
      const actual = match(found, /UID in record \((.*?)\)/);
      return deletePreconditionStatus(configMap, "one", { field: "UID", wanted: "other", found: actual });
    },
  },
  {
    title: "another resourceVersion as precondition",
    request: {
      method: "DELETE",
      path: `${configMaps}/one`,
      headers,
      body: '{"preconditions":{"resourceVersion":"1"}}',
    },
    expected: (found) => {
      const actual = match(found, /ResourceVersion in record \((.*?)\)/);
      return deletePreconditionStatus(configMap, "one", { field: "ResourceVersion", wanted: "1", found: actual });
    },
  },
  {
    title: "an invalid name",
    request: { method: "POST", path: configMaps, headers, body: '{"metadata":{"name":"Bad_Name"},"data":{"/":"x"}}' },
    expected: () =>
      invalidStatus({ group: "", kind: "ConfigMap" }, "Bad_Name", [
        problem("metadata.name", "Bad_Name", subdomain),
        problem(
          "data[/]",
          "/",
          "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
        ),
      ]),
  },
  {
    title: "a name that differs from the path",
    request: { method: "PUT", path: `${configMaps}/one`, headers, body: '{"metadata":{"name":"two"}}' },
    expected: () => badRequestStatus("the name of the object (two) does not match the name on the URL (one)"),
  },
  {
    title: "a namespace that differs from the path",
    request: { method: "POST", path: configMaps, headers, body: '{"metadata":{"name":"x","namespace":"other"}}' },
    expected: () =>
      badRequestStatus("the namespace of the provided object does not match the namespace sent on the request"),
  },
  {
    title: "an invalid token",
    request: { path: configMaps, headers: { authorization: "Bearer wrong" }, isAnonymous: true },
    expected: () => unauthorizedStatus(),
  },
  {
    title: "a user without permissions",
    request: { path: `${configMaps}/one`, headers: jane },
    expected: () =>
      forbiddenAttemptStatus({
        user: "jane<&>",
        verb: "get",
        group: "",
        resource: "configmaps",
        namespace: "codec",
        name: "one",
      }),
  },
  {
    title: "a list of a group by a user without permissions",
    request: { path: "/apis/apps/v1/deployments", headers: jane },
    expected: () => forbiddenAttemptStatus({ user: "jane<&>", verb: "list", group: "apps", resource: "deployments" }),
  },
  {
    title: "a subresource by a user without permissions",
    request: { path: `${deployments}/one/scale`, headers: jane },
    expected: () =>
      forbiddenAttemptStatus({
        user: "jane<&>",
        verb: "get",
        group: "apps",
        resource: "deployments",
        subresource: "scale",
        namespace: "codec",
        name: "one",
      }),
  },
  {
    title: "a non-resource path by a user without permissions",
    request: { path: "/metrics?x=1", headers: jane },
    expected: () => forbiddenAttemptStatus({ user: "jane<&>", verb: "get", path: "/metrics" }),
  },
  {
    title: "an unknown method",
    request: { method: "POST", path: `${configMaps}/one`, headers, body: "{}" },
    expected: () => methodUnknownStatus(),
  },
  {
    title: "a resource that does not exist",
    request: { path: "/api/v1/namespaces/codec/nothings" },
    expected: () => noSuchResourceStatus(),
  },
  {
    title: "a verb that the resource does not support",
    request: { method: "DELETE", path: "/api/v1/namespaces/codec/services/none/proxy" },
    expected: (found) =>
      found["code"] === 405
        ? methodNotAllowedStatus({ group: "", resource: "services" }, "delete")
        : notFoundStatus({ group: "", resource: "services" }, "none"),
  },
  {
    title: "an unknown media type",
    request: { path: configMaps, headers: { accept: "text/html" } },
    expected: () => unknownAcceptStatus([...listed, ...listedStreams]),
  },
  {
    title: "an unknown media type for one object",
    request: { path: `${configMaps}/one`, headers: { accept: "text/html" } },
    expected: () => unknownAcceptStatus(listed),
  },
  {
    title: "an unknown transformation",
    request: { path: configMaps, headers: { accept: "application/json;as=Other;g=meta.k8s.io;v=v1" } },
    expected: () => notAcceptableStatus(listed),
  },
  {
    title: "a table in protobuf",
    request: {
      path: configMaps,
      headers: { accept: "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1" },
    },
    expected: () => notAcceptableStatus(listed),
  },
  {
    title: "an unknown media type for a stream",
    request: { path: `${configMaps}?watch=1&timeoutSeconds=1`, headers: { accept: "application/yaml" } },
    expected: () => notAcceptableStatus(listedStreams),
  },
  {
    title: "an unknown media type for custom resources",
    request: { path: widgets, headers: { accept: "text/html" } },
    expected: () => notAcceptableStatus(listedMediaTypes({ isStream: false })),
  },
  {
    title: "a media type that custom resources do not support",
    request: { path: `${widgets}/one`, headers: { accept: "application/vnd.kubernetes.protobuf" } },
    expected: () => notAcceptableStatus(listedMediaTypes({ isStream: false })),
  },
  {
    title: "a future resourceVersion",
    request: { path: `${configMaps}/one?resourceVersion=999999999` },
    expected: (found) => versionTooLargeStatus("999999999", match(found, /current: ([0-9]+)$/)),
  },
  {
    title: "a removal",
    before: [{ method: "POST", path: configMaps, headers, body: '{"metadata":{"name":"gone"}}' }],
    request: { method: "DELETE", path: `${configMaps}/gone` },
    expected: (found) => deleted({ name: "gone", kind: "configmaps", uid: uidIn(found) }),
  },
];

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function problem(path: string, value: string, detail: string): Parameters<typeof invalidStatus>[2][number] {
  return { path, type: "Invalid", value, detail, message: `Invalid value: "${value}": ${detail}` };
}
