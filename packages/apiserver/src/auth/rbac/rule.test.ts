import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { User } from "../user.ts";
import { type Rule, ruleAllows } from "./rule.ts";

const user: User = { name: "ann", uid: "", groups: [], extra: {} };

describe("ruleAllows", () => {
  const rows: [rule: Rule, verb: string, what: string, isAllowed: boolean][] = [
    // Written as group/resource[/subresource][#name].
    [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }, "get", "/pods", true],
    [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }, "list", "/pods", false],
    [{ verbs: ["*"], apiGroups: [""], resources: ["pods"] }, "anything", "/pods", true],
    [{ verbs: ["get"], apiGroups: ["apps"], resources: ["pods"] }, "get", "/pods", false],
    [{ verbs: ["get"], apiGroups: ["*"], resources: ["pods"] }, "get", "apps/pods", true],
    [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }, "get", "/pods/log", false],
    [{ verbs: ["get"], apiGroups: [""], resources: ["pods/log"] }, "get", "/pods/log", true],
    [{ verbs: ["get"], apiGroups: [""], resources: ["pods/log"] }, "get", "/pods", false],
    [{ verbs: ["get"], apiGroups: [""], resources: ["pods/*"] }, "get", "/pods/log", false],
    [{ verbs: ["get"], apiGroups: [""], resources: ["*/log"] }, "get", "/pods/log", true],
    [{ verbs: ["get"], apiGroups: [""], resources: ["*/log"] }, "get", "/pods/xlog", false],
    [{ verbs: ["get"], apiGroups: [""], resources: ["*/log"] }, "get", "/pods", false],
    [{ verbs: ["get"], apiGroups: [""], resources: ["*"] }, "get", "/pods/log", true],
    [{ verbs: ["get"], apiGroups: [""], resources: ["*/*"] }, "get", "/pods/log", false],
    [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["one"] }, "get", "/pods#one", true],
    [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["one"] }, "get", "/pods#two", false],
    [{ verbs: ["list"], apiGroups: [""], resources: ["pods"], resourceNames: ["one"] }, "list", "/pods", false],
    [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: [] }, "get", "/pods#two", true],
    [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["*"] }, "get", "/pods#two", false],
    [{ verbs: ["get"], resources: ["pods"] }, "get", "/pods", false],
    [{ verbs: ["get"], apiGroups: null, resources: ["pods"] }, "get", "/pods", false],
    [{}, "get", "/pods", false],
    [{ verbs: ["get"], nonResourceURLs: ["*"] }, "get", "/pods", false],
  ];
  for (const [rule, verb, what, isAllowed] of rows) {
    it(`${isAllowed ? "allows" : "refuses"} ${verb} of ${what} by ${JSON.stringify(rule)}`, () => {
      const [path = "", name = ""] = what.split("#");
      const [group = "", resource = "", subresource = ""] = path.split("/");

      const attributes = { user, verb, group, resource, subresource, namespace: "", name };

      assert.equal(ruleAllows(rule, attributes), isAllowed);
    });
  }

  const paths: [pattern: string, path: string, isAllowed: boolean][] = [
    ["/healthz", "/healthz", true],
    ["/healthz", "/healthz/", false],
    ["/healthz/*", "/healthz/etcd", true],
    ["/healthz/*", "/healthz", false],
    ["/healthz*", "/healthzy", true],
    ["*", "/anything", true],
    ["/a**", "/abc", true],
    ["/a*b", "/a*b", true],
    ["/a*b", "/axb", false],
    ["", "/", false],
  ];
  for (const [pattern, path, isAllowed] of paths) {
    it(`${isAllowed ? "allows" : "refuses"} the path ${path} by ${pattern}`, () => {
      assert.equal(ruleAllows({ verbs: ["get"], nonResourceURLs: [pattern] }, { user, verb: "get", path }), isAllowed);
      assert.equal(ruleAllows({ verbs: ["put"], nonResourceURLs: [pattern] }, { user, verb: "get", path }), false);
    });
  }
});
