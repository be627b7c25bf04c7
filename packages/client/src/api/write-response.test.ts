import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { MalformedResponseError } from "../errors.ts";
import { widget, Widget } from "../testing/kinds.ts";
import { closeServers, open, serve } from "../testing/servers.ts";
import { Client } from "../client.ts";

after(closeServers);

async function clientOf(body: string): Promise<Client> {
  return new Client(open(await serve((_, response) => response.end(body))));
}

const stored = {
  ...widget(),
  metadata: { ...widget().metadata, uid: "u-1", resourceVersion: "17" },
  status: { text: "gr\u00fc\u00df" },
};

describe("WriteAnswer", () => {
  it("has UID and resource version without parsing, and parses the object on first use", async () => {
    const text = `${JSON.stringify(stored)}\n`;
    const client = await clientOf(text);

    const written = await client.createUnread(Widget, widget());

    assert.deepEqual([written.uid, written.resourceVersion], ["u-1", "17"]);
    assert.equal(written.bytes.toString(), text);
    assert.deepEqual(written.object, stored);
    assert.equal(written.object, written.object);
  });

  it("accepts objects with kind or apiVersion first", async () => {
    const { apiVersion, kind, ...rest } = stored;
    const client = await clientOf(JSON.stringify({ kind, apiVersion, ...rest }));

    const written = await client.patchUnread(Widget, { namespace: "default", name: "web" }, { merge: {} });

    assert.deepEqual([written.uid, written.object], ["u-1", stored]);
  });

  it("decodes escaped strings", async () => {
    const client = await clientOf(JSON.stringify(stored).replace('"u-1"', String.raw`"u\u002d1"`));

    const written = await client.createUnread(Widget, widget());

    assert.equal(written.uid, "u-1");
  });

  it("is refused at once if it does not begin like an object of the kind", async () => {
    for (const text of ["<html>", '{"kind":"Status","apiVersion":"v1"}', "{}", ""]) {
      const client = await clientOf(text);

      await assert.rejects(client.createUnread(Widget, widget()), MalformedResponseError);
    }
  });

  it("throws for malformed JSON further inside when the object is read", async () => {
    const client = await clientOf(JSON.stringify(stored).replace('"status":', '"status"'));

    const written = await client.createUnread(Widget, widget());

    assert.equal(written.uid, "u-1");
    assert.throws(() => written.object, MalformedResponseError);
    await assert.rejects(client.create(Widget, widget()), MalformedResponseError);
  });
});
