import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ProtocolError } from "../errors.ts";
import { PeerIds } from "./peer-ids.ts";

describe("PeerIds", () => {
  it("accept ids in any order, each once", () => {
    const ids = new PeerIds({ first: 1 });

    for (const id of [1, 7, 3, 9, 5]) ids.open(id);

    for (const id of [1, 3, 5, 7, 9]) assert.throws(() => ids.open(id), ProtocolError, `${id}`);
  });

  it("tell opened ids from skipped and future ones", () => {
    const ids = new PeerIds({ first: 2 });

    ids.open(6);

    assert.deepEqual(
      [0, 2, 4, 6, 8].map((id) => ids.wasOpened(id)),
      [false, false, false, true, false],
    );
  });

  it("refuse ids of this end and id 0", () => {
    for (const id of [0, 2, 4]) assert.throws(() => new PeerIds({ first: 1 }).open(id), ProtocolError, `${id}`);
  });

  it("refuse a gap of more ids than a session has streams", () => {
    const ids = new PeerIds({ first: 1 });
    ids.open(4_001);

    assert.throws(() => ids.open(4_005), ProtocolError);
    ids.open(1);
    ids.open(4_005);
  });
});
