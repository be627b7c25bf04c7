import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allocateTunnelPorts, tunnelListenPorts } from "./tunnel-ports.ts";

const { first, last } = tunnelListenPorts;
const none: ReadonlySet<number> = new Set();
const all = new Set(Array.from({ length: last - first + 1 }, (_, index) => first + index));

describe("the listening ports of a LocalWorkload", () => {
  const cases: readonly (readonly [
    string,
    Partial<Parameters<typeof allocateTunnelPorts>[0]>,
    readonly [string, number][] | undefined,
  ])[] = [
    [
      "are the lowest free ones",
      {},
      [
        ["http", first],
        ["grpc", first + 1],
      ],
    ],
    [
      "leave out those of others",
      { older: new Set([first]), younger: new Set([first + 2]) },
      [
        ["http", first + 1],
        ["grpc", first + 3],
      ],
    ],
    [
      "stay as they are",
      { present: new Map([["grpc", first + 7]]) },
      [
        ["grpc", first + 7],
        ["http", first],
      ],
    ],
    [
      "are kept against younger ones",
      { present: new Map([["http", first]]), younger: new Set([first]) },
      [
        ["http", first],
        ["grpc", first + 1],
      ],
    ],
    [
      "are given up for older ones",
      { present: new Map([["http", first]]), older: new Set([first]) },
      [
        ["http", first + 1],
        ["grpc", first + 2],
      ],
    ],
    [
      "are used once",
      {
        present: new Map([
          ["http", first],
          ["grpc", first],
        ]),
      },
      [
        ["http", first],
        ["grpc", first + 1],
      ],
    ],
    [
      "are in the range",
      { present: new Map([["http", 80]]) },
      [
        ["http", first],
        ["grpc", first + 1],
      ],
    ],
    ["do not exist if the range is used up", { older: all }, undefined],
    ["do not exist if one is missing", { older: new Set([...all].slice(1)) }, undefined],
  ];
  for (const [name, input, expected] of cases)
    it(name, () => {
      const result = allocateTunnelPorts({
        names: ["http", "grpc"],
        present: new Map(),
        older: none,
        younger: none,
        ...input,
      });
      assert.deepEqual(result === undefined ? undefined : [...result], expected);
    });
});
