// Requests that the server refuses (or grants without an object), and what we would say.

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
  type ServerStatus,
  unauthorizedStatus,
  unknownAcceptStatus,
  versionTooLargeStatus,
} from "@homeostat/apiserver";
import type { JsonRecord } from "@homeostat/core";
import type { RawRequest } from "./raw.ts";

/** A request, and the answer we would give; `found` is the real one, for what only the server can know. */
export interface RefusalCase {
  readonly says: string;
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

/** The uid that an answer names in its details or its message. */
function uidIn(found: JsonRecord): string {
  const { details } = found as { details?: { uid?: string } };
  return details?.uid ?? "";
}

function match(found: JsonRecord, pattern: RegExp): string {
  return pattern.exec(String(found["message"]))?.[1] ?? "";
}

/** All requests, in an order in which one may need what another left. */
export const refusals: readonly RefusalCase[] = [
  {
    says: "an object that is not there",
    request: { path: `${configMaps}/none` },
    expected: () => notFoundStatus(resource, "none"),
  },
  {
    says: "an object of a group that is not there",
    request: { path: `${deployments}/none` },
    expected: () => notFoundStatus(apps, "none"),
  },
  {
    says: "a name in use",
    request: { method: "POST", path: configMaps, headers, body: '{"metadata":{"name":"one"}}' },
    expected: () => alreadyExistsStatus(resource, "one"),
  },
  {
    says: "an older version",
    request: {
      method: "PUT",
      path: `${configMaps}/one`,
      headers,
      body: '{"metadata":{"name":"one","resourceVersion":"1"}}',
    },
    expected: () => conflictStatus(resource, "one", modifiedText),
  },
  {
    says: "an older version of a Deployment",
    request: {
      method: "PATCH",
      path: `${deployments}/one`,
      headers: { "content-type": "application/merge-patch+json" },
      body: '{"metadata":{"resourceVersion":"1","labels":{"a":"b"}}}',
    },
    expected: () => conflictStatus(apps, "one", modifiedText),
  },
  {
    says: "another uid in a precondition",
    request: { method: "DELETE", path: `${configMaps}/one`, headers, body: '{"preconditions":{"uid":"other"}}' },
    expected: (found) => {
      const actual = match(found, /UID in record \((.*?)\)/);
      return deletePreconditionStatus(configMap, "one", { field: "UID", wanted: "other", found: actual });
    },
  },
  {
    says: "another version in a precondition",
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
    says: "a bad name",
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
    says: "a name that is not the one of the path",
    request: { method: "PUT", path: `${configMaps}/one`, headers, body: '{"metadata":{"name":"two"}}' },
    expected: () => badRequestStatus("the name of the object (two) does not match the name on the URL (one)"),
  },
  {
    says: "a namespace that is not the one of the path",
    request: { method: "POST", path: configMaps, headers, body: '{"metadata":{"name":"x","namespace":"other"}}' },
    expected: () =>
      badRequestStatus("the namespace of the provided object does not match the namespace sent on the request"),
  },
  {
    says: "a bad token",
    request: { path: configMaps, headers: { authorization: "Bearer wrong" }, isAnonymous: true },
    expected: () => unauthorizedStatus(),
  },
  {
    says: "somebody without rights",
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
    says: "somebody without rights to a list of a group",
    request: { path: "/apis/apps/v1/deployments", headers: jane },
    expected: () => forbiddenAttemptStatus({ user: "jane<&>", verb: "list", group: "apps", resource: "deployments" }),
  },
  {
    says: "somebody without rights to a subresource",
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
    says: "somebody without rights to a path",
    request: { path: "/metrics?x=1", headers: jane },
    expected: () => forbiddenAttemptStatus({ user: "jane<&>", verb: "get", path: "/metrics" }),
  },
  {
    says: "a method that nothing here knows",
    request: { method: "POST", path: `${configMaps}/one`, headers, body: "{}" },
    expected: () => methodUnknownStatus(),
  },
  {
    says: "a resource that is not there",
    request: { path: "/api/v1/namespaces/codec/nothings" },
    expected: () => noSuchResourceStatus(),
  },
  {
    says: "a verb that the resource does not have",
    request: { method: "DELETE", path: "/api/v1/namespaces/codec/services/none/proxy" },
    expected: (found) =>
      found["code"] === 405
        ? methodNotAllowedStatus({ group: "", resource: "services" }, "delete")
        : notFoundStatus({ group: "", resource: "services" }, "none"),
  },
  {
    says: "a form of answer that nobody knows",
    request: { path: configMaps, headers: { accept: "text/html" } },
    expected: () => unknownAcceptStatus([...listed, ...listedStreams]),
  },
  {
    says: "a form of one object that nobody knows",
    request: { path: `${configMaps}/one`, headers: { accept: "text/html" } },
    expected: () => unknownAcceptStatus(listed),
  },
  {
    says: "a transform that nobody knows",
    request: { path: configMaps, headers: { accept: "application/json;as=Other;g=meta.k8s.io;v=v1" } },
    expected: () => notAcceptableStatus(listed),
  },
  {
    says: "a table in protobuf",
    request: {
      path: configMaps,
      headers: { accept: "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1" },
    },
    expected: () => notAcceptableStatus(listed),
  },
  {
    says: "a form of stream that nobody knows",
    request: { path: `${configMaps}?watch=1&timeoutSeconds=1`, headers: { accept: "application/yaml" } },
    expected: () => notAcceptableStatus(listedStreams),
  },
  {
    says: "a form of answer that nobody knows, for custom resources",
    request: { path: widgets, headers: { accept: "text/html" } },
    expected: () => notAcceptableStatus(listedMediaTypes({ isStream: false })),
  },
  {
    says: "a form of answer that custom resources do not have",
    request: { path: `${widgets}/one`, headers: { accept: "application/vnd.kubernetes.protobuf" } },
    expected: () => notAcceptableStatus(listedMediaTypes({ isStream: false })),
  },
  {
    says: "a version of the future",
    request: { path: `${configMaps}/one?resourceVersion=999999999` },
    expected: (found) => versionTooLargeStatus("999999999", match(found, /current: ([0-9]+)$/)),
  },
  {
    says: "a removal",
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
