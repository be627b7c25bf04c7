// The real server and our codec get the same bytes, and must answer the same: to the letter where it is a refusal.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
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
  StatusError,
  type StructType,
  typeTable,
  Warnings,
} from "@homeostat/apiserver";
import { isEqual, type JsonRecord } from "@homeostat/core";
import { reasonToSkip, startCluster } from "../../../harness/cluster.ts";
import { bodies, type BodyCase, deleteBodies } from "./bodies.ts";
import { patches, type PatchCase } from "./patches.ts";
import { RawApi, type RawAnswer } from "./raw.ts";
import { refusals } from "./refusals.ts";

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
    it(`${each.kind}: ${each.says}${each.fieldValidation === undefined ? "" : ` (${each.fieldValidation})`}`, async () => {
      const theirs = await sendBody(each);

      const ours = answerToBody(each);

      compare(theirs, ours, ["metadata", "data"]);
    });
  }
});

describe("bodies of a delete", { skip }, () => {
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
    it(`${each.form} patch of a ${each.kind}: ${each.says}`, async () => {
      const current = await api.read(`${paths[each.kind]}/one`);
      const theirs = await sendPatch(each);

      const ours = answerToPatch(each, current);

      if (each.form !== "apply" || typeof ours === "string") compare(theirs, ours, ["data", "spec"]);
      else assert.deepEqual(theirs.warnings, headersOf(ours.warnings));
    });
  }
});

describe("refusals", { skip }, () => {
  for (const each of refusals) {
    it(each.says, async () => {
      for (const step of each.before ?? []) await api.send(step);
      const answer = await api.send(each.request);
      const found = readAnswer(answer);

      const wanted = each.expected(found);

      assert.equal(encodeJson(found), encodeJson(wanted));
      assert.equal(answer.status, wanted.code ?? 200);
    });
  }
});

describe("protobuf", { skip }, () => {
  it("is read by the server as we write it", async () => {
    const object = { metadata: { name: "from-protobuf", labels: { constructor: "x" } }, data: { a: "ü", b: "<>" } };
    const body = sealEnvelope("v1", "ConfigMap", encodeProtobuf(typeOf("v1", "ConfigMap"), object));
    const headers = { "content-type": "application/vnd.kubernetes.protobuf" };

    const answer = await api.send({ method: "POST", path: paths.ConfigMap, body, headers });

    assert.equal(answer.status, 201, answer.text);
    const stored = JSON.parse(answer.text) as JsonRecord & { metadata: JsonRecord };
    assert.deepEqual(stored["data"], object.data);
    assert.deepEqual(stored.metadata["labels"], object.metadata.labels);
  });

  it("is written by the server so that we read the same as from JSON", async () => {
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
  it("has frames as we write them", async () => {
    const accept = "application/vnd.kubernetes.protobuf;stream=watch";
    const path = `${paths.Deployment}?watch=1&resourceVersion=0&timeoutSeconds=1&fieldSelector=metadata.name%3Done`;
    const stored = await api.read(`${paths.Deployment}/one`);

    const answer = await api.send({ path, headers: { accept } });

    const object = sealEnvelope("apps/v1", "Deployment", encodeProtobuf(typeOf("apps/v1", "Deployment"), stored));
    assert.equal(answer.contentType, accept);
    assert.equal(answer.bytes.toString("hex"), sealWatchFrame("ADDED", object).toString("hex"));
  });
});

/** A Status in whichever form it came: errors are given in the form that was asked for, too. */
function readAnswer({ contentType, bytes, text }: RawAnswer): JsonRecord {
  if (contentType.startsWith("application/vnd.kubernetes.protobuf")) {
    const { apiVersion, kind, raw } = openEnvelope(bytes);
    return { kind, apiVersion, ...decodeProtobuf(typeOf(apiVersion, kind), raw) };
  }
  const value = contentType.startsWith("application/yaml") ? readYaml(text).value : readJson(text).value;
  const { object } = decodeTyped(typeOf("v1", "Status"), encodeJson(value));
  return object;
}

async function make(path: string, object: unknown): Promise<void> {
  const answer = await api.send({ method: "POST", path, body: encodeJson(object), headers: json });
  assert.ok(answer.status === 201 || answer.status === 409, answer.text);
}

function sendBody({ kind, body, contentType = "application/json", fieldValidation }: BodyCase): Promise<RawAnswer> {
  const query = `?dryRun=All${fieldValidation === undefined ? "" : `&fieldValidation=${fieldValidation}`}`;
  return api.send({ method: "POST", path: paths[kind] + query, body, headers: { "content-type": contentType } });
}

function answerToBody({ kind, body, contentType = "application/json", fieldValidation }: BodyCase): Ours {
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

function sendPatch({ kind, form, body, fieldValidation }: PatchCase): Promise<RawAnswer> {
  const strictness = fieldValidation === undefined ? "" : `&fieldValidation=${fieldValidation}`;
  const path = `${paths[kind]}/one?dryRun=All&fieldManager=codec${strictness}${form === "apply" ? "&force=true" : ""}`;
  return api.send({ method: "PATCH", path, body, headers: { "content-type": forms[form] } });
}

function answerToPatch({ kind, form, body, fieldValidation }: PatchCase, current: JsonRecord): Ours {
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

/** The text of a refusal, or what was read. */
type Read = Pick<AcceptedObject, "object" | "warnings">;
type Ours = string | Read;

function statusOr(answer: () => Read): Ours {
  try {
    return answer();
  } catch (error) {
    if (error instanceof StatusError) return encodeJson(error.status);
    throw error;
  }
}

/** Refusals must be the same text; objects must have the same warnings and, in these fields, the same values. */
function compare(theirs: RawAnswer, ours: Ours, fields: readonly string[]): void {
  if (typeof ours === "string") {
    assert.equal(ours, theirs.text.trimEnd());
    assert.equal(theirs.status, (readJson(ours).value as { code: number }).code);
    return;
  }
  assert.ok(theirs.status < 300, `the server refuses: ${theirs.text}`);
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
