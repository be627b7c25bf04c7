import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Choice, fileNameOf, problemsOf, variableOf } from "./project.ts";

describe("a choice", () => {
  for (const [choice, text] of [
    ["name", "sites"],
    ["name", "my-operator2"],
    ["group", "example.com"],
    ["group", "k8s.io.example.com"],
    ["kind", "Site"],
    ["kind", "HTTPRoute2"],
  ] as const satisfies readonly (readonly [Choice, string])[]) {
    it(`is valid: ${choice} ${text}`, () => {
      assert.deepEqual(problemsOf(choice, text), []);
    });
  }

  for (const [choice, text, problem] of [
    ["name", "", /must consist of lower case letters/],
    ["name", "My Sites", /must consist of lower case letters/],
    ["name", "a".repeat(41), /more than 40 characters/],
    ["group", "example", /must be a domain/],
    ["group", "Example.com", /must be a domain/],
    ["group", "apps.k8s.io", /reserved for Kubernetes/],
    ["group", "kubernetes.io", /reserved for Kubernetes/],
    ["kind", "site", /starts with an upper case letter/],
    ["kind", "Web-Site", /starts with an upper case letter/],
    ["kind", "ConfigMap", /is a kind of Kubernetes/],
  ] as const satisfies readonly (readonly [Choice, string, RegExp])[]) {
    it(`is refused: ${choice} ${JSON.stringify(text)}`, () => {
      assert.match(problemsOf(choice, text).join("\n"), problem);
    });
  }
});

describe("names made of a kind", () => {
  for (const [kind, variable, file] of [
    ["Site", "site", "site"],
    ["WebSite", "webSite", "web-site"],
    ["HTTPRoute", "httpRoute", "http-route"],
    ["DNS", "dns", "dns"],
    ["X", "x", "x"],
  ]) {
    it(`are ${variable} and ${file} for ${kind}`, () => {
      assert.deepEqual([variableOf(kind ?? ""), fileNameOf(kind ?? "")], [variable, file]);
    });
  }
});
