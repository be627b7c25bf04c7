import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeClock } from "@homeostat/core";
import { ApiServer } from "../server/api-server.ts";
import { ask } from "../testing/ask.ts";
import { encodeSwagger } from "./swagger-protobuf.ts";

describe("the OpenAPI v2 document in protobuf", () => {
  it("has the bytes that gnostic writes", () => {
    const document = {
      swagger: "2.0",
      info: { title: "Kubernetes", version: "1.0" },
      definitions: {
        b: { type: "object", additionalProperties: false, enum: ["*", "", "x"] },
        a: { $ref: "#/definitions/b", "x-kubernetes-list-map-keys": ["name"] },
      },
    };

    const encoded = encodeSwagger(document);

    // Written by hand from the message definitions: a comes before b, `false` of a oneof is present, extensions are YAML.
    assert.equal(
      encoded.toString("latin1"),
      [
        "\n\u00032.0",
        "\u0012\u0011\n\nKubernetes\u0012\u00031.0",
        "J\u0071",
        "\n\u0040\n\u0001a\u0012\u003b\n\u000f#/definitions/b\u00fa\u0001'\n\u001ax-kubernetes-list-map-keys\u0012\t\u0012\u0007- name\n",
        "\n\u002d\n\u0001b\u0012\u0028",
        "\u00a2\u0001\u0006\u0012\u0004'*'\n\u00a2\u0001\u0005\u0012\u0003\"\"\n\u00a2\u0001\u0004\u0012\u0002x\n",
        "\u00aa\u0001\u0002\u0010\u0000",
        "\u00b2\u0001\u0008\n\u0006object",
      ].join(""),
    );
  });

  it("is served to clients that accept it, with the ETag of the JSON form", async () => {
    await using server = new ApiServer({ clock: new FakeClock({ now: 0 }) });
    const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

    const answer = await ask(server, { path: "/openapi/v2", headers: { accept } });
    const refused = await ask(server, { path: "/openapi/v2", headers: { accept: "text/plain" } });

    assert.deepEqual([answer.status, refused.status], [200, 406]);
    assert.equal(answer.type, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    assert.ok(answer.text.startsWith("\n\u00032.0"));
  });
});
