import { emptySpan, scanObject } from "@homeostat/client";
import { LineSplitter } from "@homeostat/client/internal";
import type { BenchCases } from "../harness/case.ts";
import { newWidget } from "../runtime/cache-sample.ts";

const count = 500;
const lines = Array.from({ length: count }, (_, n) => JSON.stringify({ type: "MODIFIED", object: newWidget(n) }));
const bytes = Buffer.from(`${lines.join("\n")}\n`);
/** Chunks as sockets deliver them: split at arbitrary positions. */
const pieces = Array.from({ length: Math.ceil(bytes.length / 16_384) }, (_, i) =>
  bytes.subarray(i * 16_384, (i + 1) * 16_384),
);
const [line = Buffer.alloc(0)] = lines.map((text) => Buffer.from(text));
const span = emptySpan();

export const cases: BenchCases = [
  {
    name: `split a watch of ${count} events of 4 KB into lines`,
    operationsPerCall: count,
    subjects: {
      LineSplitter: () => {
        let total = 0;
        const splitter = new LineSplitter((one) => (total += one.length));
        for (const piece of pieces) splitter.push(piece);
        return total;
      },
      "text and split": () => {
        let rest = "";
        let total = 0;
        for (const piece of pieces) {
          const parts = (rest + piece.toString("latin1")).split("\n");
          rest = parts.pop() ?? "";
          for (const part of parts) total += part.length;
        }
        return total;
      },
    },
  },
  {
    name: "find the object of an event and its names, 4 KB",
    subjects: {
      scanObject: () => scanObject(line, line.indexOf('"object":') + 9, line.length, span),
      "JSON.parse": () => JSON.parse(line.toString()) as unknown,
    },
  },
];
