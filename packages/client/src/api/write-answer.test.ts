import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MalformedAnswerError } from "../errors.ts";
import { widget, Widget } from "../fixtures/kinds.fixture.test.ts";
import { open, serve } from "../fixtures/servers.fixture.test.ts";
import { Client } from "./client.ts";

async function clientOf(answer: string): Promise<Client> {
  return new Client(open(await serve((_, response) => response.end(answer))));
}

const stored = {
  ...widget(),
  metadata: { ...widget().metadata, uid: "u-1", resourceVersion: "17" },
  status: { text: "gr\u00fc\u00df" },
};

describe("WriteAnswer", () => {
  it("tells which object it is without parsing it, and has it when asked", async () => {
    const text = `${JSON.stringify(stored)}\n`;
    const client = await clientOf(text);

    const answer = await client.createUnread(Widget, widget());

    assert.deepEqual([answer.uid, answer.resourceVersion], ["u-1", "17"]);
    assert.equal(answer.bytes.toString(), text);
    assert.deepEqual(answer.object, stored);
    assert.equal(answer.object, answer.object);
  });

  it("knows an object whichever of its names comes first", async () => {
    const { apiVersion, kind, ...rest } = stored;
    const client = await clientOf(JSON.stringify({ kind, apiVersion, ...rest }));

    const answer = await client.patchUnread(Widget, { namespace: "default", name: "web" }, { merge: {} });

    assert.deepEqual([answer.uid, answer.object], ["u-1", stored]);
  });

  it("decodes what has escapes in it", async () => {
    const client = await clientOf(JSON.stringify(stored).replace('"u-1"', String.raw`"u\u002d1"`));

    const answer = await client.createUnread(Widget, widget());

    assert.equal(answer.uid, "u-1");
  });

  it("refuses at once what does not begin as an object of the kind", async () => {
    for (const text of ["<html>", '{"kind":"Status","apiVersion":"v1"}', "{}", ""]) {
      const client = await clientOf(text);

      await assert.rejects(client.createUnread(Widget, widget()), MalformedAnswerError);
    }
  });

  it("finds a mistake further inside when it is read", async () => {
    const client = await clientOf(JSON.stringify(stored).replace('"status":', '"status"'));

    const answer = await client.createUnread(Widget, widget());

    assert.equal(answer.uid, "u-1");
    assert.throws(() => answer.object, MalformedAnswerError);
    await assert.rejects(client.create(Widget, widget()), MalformedAnswerError);
  });
});
