// Sends the same bytes to the real server and to our codec; errors must have the same text.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { StatusError } from "@homeostat/apiserver";
import {
  type AcceptedObject,
  decodeProtobuf,
  decodeTyped,
  encodeJson,
  encodeProtobuf,
  type FieldStrictness,
  notFoundStatus,
  openEnvelope,
  patchObject,
  type PatchType,
  readApplyBody,
  readDeleteBody,
  readJson,
  readPatchType,
  readRequestBody,
  readYaml,
  sealEnvelope,
  sealWatchFrame,
  type StructType,
  typeTable,
  Warnings,
} from "@homeostat/apiserver/internal";
import { isEqual, type JsonRecord } from "@homeostat/core";
import { reasonToSkip, startCluster } from "../../../harness/cluster.ts";
import { bodies, type BodyCase, deleteBodies } from "./bodies.ts";
import { patches, type PatchCase } from "./patches.ts";
import { RawApi, type RawResponse } from "./raw.ts";
import { errorCases } from "./errors.ts";

const skip = (await reasonToSkip({ need: "apiserver" })) ?? false;
let cluster: Awaited<ReturnType<typeof startCluster>>;
let api: RawApi;

const paths = {
  ConfigMap: "/api/v1/namespaces/codec/configmaps",
  Secret: "/api/v1/namespaces/codec/secrets",
  Pod: "/api/v1/namespaces/codec/pods",
  Deployment: "/apis/apps/v1/namespaces/codec/deployments",
  Widget: "/apis/codec.example/v1/namespaces/codec/widgets",
};

const versions = { ConfigMap: "v1", Secret: "v1", Pod: "v1", Deployment: "apps/v1", Widget: "codec.example/v1" };

const forms = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
  text: "text/plain",
};

const json = { "content-type": "application/json" };

before(async () => {
  if (skip !== false) return;
  cluster = await startCluster({ need: "apiserver" });
  api = new RawApi(cluster);
  await make("/api/v1/namespaces", { metadata: { name: "codec" } });
  await make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgets);
  await make(paths.ConfigMap, { metadata: { name: "one" }, data: { a: "1", lt: "<&>" } });
  await make(paths.Deployment, deployment);
  await make("/api/v1/namespaces/codec/serviceaccounts", { metadata: { name: "default" } });
  for (let tries = 0; tries < 50; tries += 1) {
    const { status } = await api.send({ method: "POST", path: paths.Widget, body: encodeJson(widget), headers: json });
    if (status === 201) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});
after(async () => {
  if (skip !== false) return;
  api.close();
  await cluster.stop();
});

describe("bodies", { skip }, () => {
  for (const each of bodies) {
    it(`${each.kind}: ${each.title}${each.fieldValidation === undefined ? "" : ` (${each.fieldValidation})`}`, async () => {
      const theirs = await sendBody(each);

      const ours = responseToBody(each);

      compare(theirs, ours, ["metadata", "data"]);
    });
  }
});

describe("bodies of DELETE requests", { skip }, () => {
  for (const { body, contentType = "application/json" } of deleteBodies) {
    it(`${contentType}: ${body.trimEnd()}`, async () => {
      const path = `${paths.Deployment}/none`;
      const theirs = await api.send({ method: "DELETE", path, body, headers: { "content-type": contentType } });

      const ours = statusOr(() => ({ object: readDeleteBody(Buffer.from(body), contentType) ?? {}, warnings: [] }));

      const none = encodeJson(notFoundStatus({ group: "apps", resource: "deployments" }, "none"));
      assert.equal(theirs.text.trimEnd(), typeof ours === "string" ? ours : none);
      assert.deepEqual(theirs.warnings, []);
    });
  }
});

describe("patches", { skip }, () => {
  for (const each of patches) {
    it(`${each.form} patch of a ${each.kind}: ${each.title}`, async () => {
      const current = await api.read(`${paths[each.kind]}/one`);
      const theirs = await sendPatch(each);

      const ours = responseToPatch(each, current);

      if (each.form !== "apply" || typeof ours === "string") compare(theirs, ours, ["data", "spec"]);
      else assert.deepEqual(theirs.warnings, headersOf(ours.warnings));
    });
  }
});

describe("errors", { skip }, () => {
  for (const each of errorCases) {
    it(each.title, async () => {
      for (const step of each.before ?? []) await api.send(step);
      const response = await api.send(each.request);
      const found = decodeStatus(response);

      const expectedStatus = each.expected(found);

      assert.equal(encodeJson(found), encodeJson(expectedStatus));
      assert.equal(response.status, expectedStatus.code ?? 200);
    });
  }
});

describe("protobuf", { skip }, () => {
  it("encoded by us is decoded by the server", async () => {
    const object = { metadata: { name: "from-protobuf", labels: { constructor: "x" } }, data: { a: "ü", b: "<>" } };
    const body = sealEnvelope("v1", "ConfigMap", encodeProtobuf(typeOf("v1", "ConfigMap"), object));
    const headers = { "content-type": "application/vnd.kubernetes.protobuf" };

    const response = await api.send({ method: "POST", path: paths.ConfigMap, body, headers });

    assert.equal(response.status, 201, response.text);
    const stored = JSON.parse(response.text) as JsonRecord & { metadata: JsonRecord };
    assert.deepEqual(stored["data"], object.data);
    assert.deepEqual(stored.metadata["labels"], object.metadata.labels);
  });

  it("encoded by the server decodes to the same objects as its JSON", async () => {
    const lists = [
      "/api/v1/namespaces",
      "/apis/rbac.authorization.k8s.io/v1/clusterroles",
      "/apis/apps/v1/deployments",
    ];
    for (const path of [...lists, "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", "/api/v1/services"]) {
      const theirs = await api.send({ path, headers: { accept: "application/json" } });
      const binary = await api.send({ path, headers: { accept: "application/vnd.kubernetes.protobuf" } });

      const { apiVersion, kind, raw } = openEnvelope(binary.bytes);
      const ours = decodeProtobuf(typeOf(apiVersion, kind), raw);

      assert.equal(encodeJson({ kind, apiVersion, ...ours }), theirs.text.trimEnd());
      const again = sealEnvelope(apiVersion, kind, encodeProtobuf(typeOf(apiVersion, kind), ours));
      assert.equal(again.toString("base64"), binary.bytes.toString("base64"), `${path} written again`);
    }
  });
});

describe("a watch in protobuf", { skip }, () => {
  it("has the frames that we write", async () => {
    const accept = "application/vnd.kubernetes.protobuf;stream=watch";
    const path = `${paths.Deployment}?watch=1&resourceVersion=0&timeoutSeconds=1&fieldSelector=metadata.name%3Done`;
    const stored = await api.read(`${paths.Deployment}/one`);

    const response = await api.send({ path, headers: { accept } });

    const object = sealEnvelope("apps/v1", "Deployment", encodeProtobuf(typeOf("apps/v1", "Deployment"), stored));
    assert.equal(response.contentType, accept);
    assert.equal(response.bytes.toString("hex"), sealWatchFrame("ADDED", object).toString("hex"));
  });
});

/** Decodes a Status in JSON or protobuf: errors have the requested format. */
function decodeStatus({ contentType, bytes, text }: RawResponse): JsonRecord {
  if (contentType.startsWith("application/vnd.kubernetes.protobuf")) {
    const { apiVersion, kind, raw } = openEnvelope(bytes);
    return { kind, apiVersion, ...decodeProtobuf(typeOf(apiVersion, kind), raw) };
  }
  const value = contentType.startsWith("application/yaml") ? readYaml(text).value : readJson(text).value;
  const { object } = decodeTyped(typeOf("v1", "Status"), encodeJson(value));
  return object;
}

async function make(path: string, object: unknown): Promise<void> {
  const response = await api.send({ method: "POST", path, body: encodeJson(object), headers: json });
  assert.ok(response.status === 201 || response.status === 409, response.text);
}

function sendBody({ kind, body, contentType = "application/json", fieldValidation }: BodyCase): Promise<RawResponse> {
  const query = `?dryRun=All${fieldValidation === undefined ? "" : `&fieldValidation=${fieldValidation}`}`;
  return api.send({ method: "POST", path: paths[kind] + query, body, headers: { "content-type": contentType } });
}

function responseToBody({ kind, body, contentType = "application/json", fieldValidation }: BodyCase): Ours {
  return statusOr(() =>
    readRequestBody({
      body: Buffer.from(body),
      contentType,
      expected: { apiVersion: versions[kind], kind },
      isCustom: kind === "Widget",
      fieldValidation: fieldValidation ?? "",
    }),
  );
}

function sendPatch({ kind, form, body, fieldValidation }: PatchCase): Promise<RawResponse> {
  const strictness = fieldValidation === undefined ? "" : `&fieldValidation=${fieldValidation}`;
  const path = `${paths[kind]}/one?dryRun=All&fieldManager=codec${strictness}${form === "apply" ? "&force=true" : ""}`;
  return api.send({ method: "PATCH", path, body, headers: { "content-type": forms[form] } });
}

function responseToPatch({ kind, form, body, fieldValidation }: PatchCase, current: JsonRecord): Ours {
  const isCustom = kind === "Widget";
  return statusOr(() => {
    const type = readPatchType(forms[form], { isCustom });
    if (type === "application/apply-patch+yaml") return readApplyBody(Buffer.from(body), fieldValidation ?? "");
    return applyPatch(type, { kind, body, isCustom, fieldValidation: fieldValidation ?? "", current });
  });
}

function applyPatch(
  type: Exclude<PatchType, "application/apply-patch+yaml">,
  { kind, body, isCustom, fieldValidation, current }: PatchArguments,
): Read {
  const expected = { apiVersion: versions[kind], kind };
  return patchObject({ type, body: Buffer.from(body), current, expected, isCustom, fieldValidation });
}

interface PatchArguments {
  readonly kind: PatchCase["kind"];
  readonly body: string;
  readonly isCustom: boolean;
  readonly fieldValidation: FieldStrictness;
  readonly current: JsonRecord;
}

/** Returns the message of an error, or the decoded object. */
type Read = Pick<AcceptedObject, "object" | "warnings">;
type Ours = string | Read;

function statusOr(response: () => Read): Ours {
  try {
    return response();
  } catch (error) {
    if (error instanceof StatusError) return encodeJson(error.status);
    throw error;
  }
}

/** Checks that errors have the same text, and that objects have the same warnings and the same values in the given fields. */
function compare(theirs: RawResponse, ours: Ours, fields: readonly string[]): void {
  if (typeof ours === "string") {
    assert.equal(ours, theirs.text.trimEnd());
    assert.equal(theirs.status, (readJson(ours).value as { code: number }).code);
    return;
  }
  assert.ok(theirs.status < 300, `the server rejects it: ${theirs.text}`);
  assert.deepEqual(headersOf(ours.warnings), theirs.warnings);
  const stored = readJson(theirs.text).value as JsonRecord;
  for (const field of fields.filter((name) => name !== "metadata")) {
    assert.ok(isEqual(ours.object[field], stored[field]), `${field}: ${encodeJson(ours.object)}\n${theirs.text}`);
  }
}

function headersOf(warnings: readonly string[]): string[] {
  const list = new Warnings();
  list.addAll(warnings);
  return list.headers();
}

function typeOf(apiVersion: string, kind: string): StructType {
  const type = typeTable().kindType(apiVersion, kind);
  assert.ok(type !== undefined, `${apiVersion} ${kind}`);
  return type;
}

const deployment = {
  metadata: { name: "one" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "one" } },
    template: {
      metadata: { labels: { app: "one" } },
      spec: {
        containers: [
          { name: "a", image: "a" },
          { name: "b", image: "b" },
        ],
      },
    },
  },
};

const widget = {
  apiVersion: "codec.example/v1",
  kind: "Widget",
  metadata: { name: "one" },
  spec: { n: 1, list: [{ y: 2 }] },
};

const widgets = {
  metadata: { name: "widgets.codec.example" },
  spec: {
    group: "codec.example",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets", singular: "widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        },
      },
    ],
  },
};
