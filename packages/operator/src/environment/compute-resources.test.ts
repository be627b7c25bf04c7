import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  computeRequirements,
  type ComputeResources,
  computeResourceVariables,
  overrideComputeResources,
  readComputeResources,
} from "./compute-resources.ts";
import { readEnvironment } from "./environment-reader.ts";

const defaults: ComputeResources = {
  requests: { cpu: "250m", memory: "128Mi" },
  limits: { cpu: "1", memory: "1Gi", "ephemeral-storage": "50M" },
};

const values = { prefix: "POD", value: "pods.resources", defaults, formerly: "config.resource" };

describe("readComputeResources", () => {
  it("returns the defaults when no variable is set", () => {
    assert.deepEqual(readEnvironment({}, (env) => readComputeResources(env, "POD", defaults)).settings, defaults);
    assert.deepEqual(readEnvironment({}, (env) => readComputeResources(env, "POD")).settings, {
      requests: {},
      limits: {},
    });
  });

  it("reads each variable, and an empty one removes the default", () => {
    const env = { POD_CPU_REQUEST: "2", POD_MEM_LIMIT: "", POD_EPHEMERAL_REQUEST: "9G" };

    const { settings } = readEnvironment(env, (reader) => readComputeResources(reader, "POD", defaults));

    assert.deepEqual(settings, {
      requests: { cpu: "2", memory: "128Mi", "ephemeral-storage": "9G" },
      limits: { cpu: "1", "ephemeral-storage": "50M" },
    });
  });
});

describe("computeResourceVariables", () => {
  it("names the variables, the chart values and the values of another chart", () => {
    const variables = computeResourceVariables(values);

    assert.deepEqual(
      variables.map(({ variable }) => variable),
      [
        "POD_CPU_REQUEST",
        "POD_MEM_REQUEST",
        "POD_EPHEMERAL_REQUEST",
        "POD_CPU_LIMIT",
        "POD_MEM_LIMIT",
        "POD_EPHEMERAL_LIMIT",
      ],
    );
    assert.deepEqual(variables[1], {
      variable: "POD_MEM_REQUEST",
      value: "pods.resources.requests.memory",
      default: "128Mi",
      formerly: "config.resource.memRequest",
    });
  });

  it("sets exactly what readComputeResources reads", () => {
    const env = Object.fromEntries(
      computeResourceVariables(values).map((each) => [each.variable, String(each.default)]),
    );

    assert.deepEqual(readEnvironment(env, (reader) => readComputeResources(reader, "POD")).settings, defaults);
  });
});

describe("overrideComputeResources", () => {
  it("replaces single quantities", () => {
    const overrides = { requests: { cpu: "3" }, limits: {} };

    assert.deepEqual(overrideComputeResources(defaults, overrides), {
      requests: { cpu: "3", memory: "128Mi" },
      limits: defaults.limits,
    });
  });
});

describe("computeRequirements", () => {
  it("leaves out an empty side, and returns undefined when both are empty", () => {
    assert.deepEqual(computeRequirements({ requests: { cpu: "1" }, limits: {} }), { requests: { cpu: "1" } });
    assert.deepEqual(computeRequirements(defaults), defaults);
    assert.equal(computeRequirements({ requests: {}, limits: {} }), undefined);
  });
});
