import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type JsonRecord } from "@homeostat/core";
import { named, readerOf, refusal } from "../../../testing/admission-request.ts";
import { parseQuery } from "../../../request/query.ts";
import { readLogOptions } from "./log.ts";
import { podStreamOf, proxyTargetOf } from "./stream.ts";

describe("log and stream requests", () => {
  it("have their parameters validated like on kube-apiserver", async () => {
    const refusalFor = (query: string): Promise<string | undefined> =>
      refusal(() => readLogOptions(parseQuery(query), "p"));

    assert.deepEqual(readLogOptions(parseQuery("container=a&follow&tailLines=3"), "p"), {
      container: "a",
      isFollowed: true,
      isPrevious: false,
      hasTimestamps: false,
      tailLines: 3,
    });
    assert.equal(
      await refusalFor("tailLines=-1"),
      '422 PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
    );
    assert.equal(
      await refusalFor("limitBytes=0"),
      '422 PodLogOptions "p" is invalid: limitBytes: Invalid value: 0: must be greater than 0',
    );
    assert.equal(await refusalFor("tailLines=x"), '400 strconv.ParseInt: parsing "x": invalid syntax');
    assert.match(
      (await refusalFor("sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z")) ?? "",
      /\[\]: Forbidden: at most one/,
    );
  });

  it("require a container and a node", async () => {
    const two = named(
      "two",
      { spec: { containers: [{ name: "a" }, { name: "b" }], initContainers: [{ name: "i" }] } },
      "team",
    );
    const refusalFor = (query: string, pod: JsonRecord): Promise<string | undefined> =>
      refusal(() =>
        podStreamOf(
          { namespace: "team", name: "two", subresource: "exec", query: parseQuery(query) },
          readerOf({ pods: [pod] }),
        ),
      );

    assert.equal(
      await refusalFor("", two),
      "400 a container name must be specified for pod two, choose one of: [i a b]",
    );
    assert.equal(await refusalFor("container=x", two), "400 container x is not valid for pod two");
    assert.equal(await refusalFor("container=a", two), "400 pod two does not have a host assigned");
  });

  it("resolve the port of a pod for proxy requests", async () => {
    const pod = named(
      "p",
      { spec: { containers: [{ ports: [{ containerPort: 8080 }] }] }, status: { podIP: "10.0.0.5" } },
      "team",
    );
    const place = (name: string): ReturnType<typeof proxyTargetOf> =>
      proxyTargetOf({ namespace: "team", name }, readerOf({ pods: [pod] }));

    assert.equal(place("p").port, "8080");
    assert.deepEqual([place("https:p:443").scheme, place("https:p:443").port], ["https", "443"]);
    assert.equal(await refusal(() => place("ftp:p:1")), '400 invalid pod request "ftp:p:1"');
    const local = { ...pod, status: { podIP: "127.0.0.1" } };
    assert.equal(
      await refusal(() => proxyTargetOf({ namespace: "team", name: "p" }, readerOf({ pods: [local] }))),
      "400 address not allowed",
    );
  });
});
