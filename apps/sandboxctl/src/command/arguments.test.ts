import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "@homeostat/core";
import { readArguments } from "./arguments.ts";

const connection = {
  namespace: undefined,
  kubeconfig: undefined,
  context: undefined,
  timeoutMs: 30_000,
  output: "text",
} as const;

describe("the command line", () => {
  const valid: readonly (readonly [line: string, expected: object])[] = [
    ["", { run: "help", of: "sandboxctl" }],
    ["--help", { run: "help", of: "sandboxctl" }],
    ["policy check --help", { run: "help", of: "policy check" }],
    ["policy --help", { run: "help", of: "policy check" }],
    ["route explain -h", { run: "help", of: "route explain" }],
    ["explain --help", { run: "help", of: "route explain" }],
    ["policy check -f a.yaml -f -", { run: "policy check", files: ["a.yaml", "-"], ...connection }],
    [
      "policy check --filename=a -n shop --context prod --kubeconfig k --timeout 2m -o json",
      {
        run: "policy check",
        files: ["a"],
        namespace: "shop",
        context: "prod",
        kubeconfig: "k",
        timeoutMs: 120_000,
        output: "json",
      },
    ],
    [
      "explain --service shop/cart --key k1 --header baggage:a=b --port 80 --method POST --path /x --server http://h:7778",
      {
        run: "route explain",
        service: { namespace: "shop", name: "cart" },
        port: 80,
        method: "POST",
        path: "/x",
        headers: [
          ["x-routing-key", "k1"],
          ["baggage", "a=b"],
        ],
        server: new URL("http://h:7778"),
        ...connection,
      },
    ],
    [
      "route explain --service cart",
      {
        run: "route explain",
        service: { namespace: undefined, name: "cart" },
        port: undefined,
        method: "GET",
        path: "/",
        headers: [],
        server: undefined,
        ...connection,
      },
    ],
  ];
  for (const [line, expected] of valid) {
    it(`accepts "${line}"`, () => {
      assert.deepEqual(readArguments(line.split(" ").filter((word) => word !== "")), expected);
    });
  }

  const invalid: readonly (readonly [line: string, says: RegExp])[] = [
    ["fly", /^Unknown command "fly"\. Available commands: policy check, preview, route explain\./],
    ["policy", /requires the command check/],
    ["route table", /requires the command explain/],
    ["policy check", /requires -f FILE/],
    ["policy check -f - -f -", /Standard input \(-\) can be read once only/],
    ["policy check -f a -o yaml", /--output is "yaml"; it must be text or json/],
    ["policy check -f a --timeout soon", /--timeout is "soon"; it must be a duration/],
    ["policy check -f a --timeout 2h", /at most 1h/],
    ["policy check -f a b", /Unexpected argument/],
    ["policy check -f a --wrong", /--wrong/],
    ["explain", /requires --service NAME/],
    ["explain --service a/b/c", /it must be NAME or NAMESPACE\/NAME/],
    ["explain --service /cart", /it must be NAME or NAMESPACE\/NAME/],
    ["explain --service cart --port 0", /--port/],
    ["explain --service cart --path x", /it must start with \//],
    ["explain --service cart --header x", /it must be NAME:VALUE/],
    ["explain --service cart --server ftp://x", /it must be a URL/],
  ];
  for (const [line, says] of invalid) {
    it(`refuses "${line}"`, () => {
      assert.throws(
        () => readArguments(line.split(" ")),
        (error) => {
          assert.ok(error instanceof UsageError, String(error));
          assert.match(error.message, says);
          return true;
        },
      );
    });
  }
});
