import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Metadata, QuorumDescription } from "../protocol/messages.ts";
import { readConfig, readSettings } from "./config.ts";
import { clusterId, founderDirectoryId, kafkaId } from "./identity.ts";
import { drainCancellations, drainMoves, restartCheck } from "./partitions.ts";
import { kafkaProperties } from "./properties.ts";
import { changeStatus, isVoting, quorumView } from "./quorum.ts";

const folder = "/etc/chronik/config";
const env = {
  CHRONIK_ROLE: "controller",
  CHRONIK_CONFIG_PATH: folder,
  CHRONIK_CONFIG_FILE: `${folder}/a-controller-1.toml`,
  CHRONIK_NAMESPACE: "team",
  CHRONIK_CLUSTER_NAME: "a",
  STORAGE_PATH: "/data",
};
const members = { epoch: 1, voters: [1, 2].map((id) => ({ id, address: `c${id}:9090` })), target: 2 };
const files = new Map([
  [`${folder}/members.json`, JSON.stringify(members)],
  [`${folder}/extra.log.retention.ms`, "1"],
  [
    `${folder}/a-controller-1.toml`,
    'role = "controller"\nnode_id = 2\nbootstrap = true\n\n[advertise]\ngrpc = "c2:9090"\n\n[extra]\n"a.b" = "x = \\"y\\""\n',
  ],
  [
    `${folder}/a-ingest-0.toml`,
    'node_id = 1\nreplication_factor = 3\nmin_insync_replicas = 2\n[advertise]\nkafka = "i0:9092"\n[controllers]\nendpoints = ["c1:9090", "c2:9090"]\n',
  ],
]);

describe("the configuration of a member", () => {
  it("is read from the files of the operator", () => {
    const config = readConfig(env, files);

    assert.equal(config.kafkaId, 2);
    assert.equal(config.isFounder, true);
    assert.deepEqual(config.address, { host: "c2", port: 9090 });
    assert.deepEqual(
      config.founders.map(({ id, host }) => `${id}@${host}`),
      ["1@c1", "2@c2"],
    );
    assert.deepEqual(config.extra, { "log.retention.ms": "1", "a.b": 'x = "y"' });
    assert.throws(() => readConfig({ ...env, CHRONIK_ROLE: "search" }, files), /no component search/);
    assert.throws(() => readConfig({ ...env, STORAGE_PATH: "" }, files), /STORAGE_PATH is missing/);
    assert.throws(() => readConfig(env, new Map()), /a-controller-1.toml is missing/);
  });

  it("becomes properties of Kafka, in which settings of the user win", () => {
    const controller = kafkaProperties(readConfig(env, files), { logFolder: "/data/kafka" });
    assert.match(controller, /^process\.roles=controller$/m);
    assert.match(controller, /^controller\.quorum\.bootstrap\.servers=c1:9090,c2:9090$/m);
    assert.match(controller, /^listeners=CONTROLLER:\/\/0\.0\.0\.0:9090$/m);

    const own = new Map([...files, [`${folder}/extra.min.insync.replicas`, "1"]]);
    const variables = { ...env, CHRONIK_ROLE: "ingest", CHRONIK_CONFIG_FILE: `${folder}/a-ingest-0.toml` };
    const broker = kafkaProperties(readConfig(variables, own), { logFolder: "/data/kafka" });
    assert.match(broker, /^node\.id=1001$/m);
    assert.match(broker, /^default\.replication\.factor=3$/m);
    assert.match(broker, /^min\.insync\.replicas=1$/m);
    assert.match(broker, /^advertised\.listeners=CLIENT:\/\/i0:9092$/m);
    assert.doesNotMatch(broker, /ssl/);

    const tls = { TLS_CERT_PATH: "/tls/tls.crt", TLS_KEY_PATH: "/tls/tls.key", TLS_CA_PATH: "/tls/ca.crt" };
    const secure = kafkaProperties(readConfig({ ...variables, ...tls }, own), {
      logFolder: "/data/kafka",
      keyStore: "/tmp/keystore.pem",
    });
    assert.match(secure, /^listener\.security\.protocol\.map=CONTROLLER:SSL,CLIENT:SSL$/m);
    const withoutCa = { ...variables, ...tls, TLS_CA_PATH: undefined };
    assert.throws(() => readConfig(withoutCa, own), /needs mutual TLS/);
    assert.match(secure, /^ssl\.keystore\.location=\/tmp\/keystore\.pem$/m);
  });

  it("contains numbers, booleans, lists and quoted keys", () => {
    const settings = readSettings('a = 1\nb = [1, 2]\n[t]\n"c.d" = "e"\nbad line\n');
    assert.deepEqual(
      [...settings],
      [
        ["a", 1],
        ["b", [1, 2]],
        ["t.c.d", "e"],
      ],
    );
  });
});

describe("identifiers", () => {
  it("follow from the names, differ between members, and have 16 bytes", () => {
    const ids = Array.from({ length: 200 }, (_, index) =>
      founderDirectoryId({ namespace: "n", cluster: "c", nodeId: index }),
    );
    assert.equal(new Set([...ids, clusterId({ namespace: "n", cluster: "c" })]).size, 201);
    assert.ok(
      ids.every((id) => /^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/.test(id)),
      "none starts with a hyphen",
    );
    assert.equal(founderDirectoryId({ namespace: "n", cluster: "c", nodeId: 0 }), ids[0]);
    assert.notEqual(kafkaId("controller", 1), kafkaId("ingest", 1));
  });
});

describe("the view of the quorum", () => {
  const self = { nodeId: 2, incarnation: "two" };
  const description = (caughtUpMs: number, directoryId = "two"): QuorumDescription => ({
    errorCode: 0,
    leaderId: 1,
    leaderEpoch: 7,
    voters: [
      { id: 1, directoryId: "one", lastCaughtUpMs: 100_000 },
      { id: 2, directoryId, lastCaughtUpMs: caughtUpMs },
    ],
  });

  it("counts a voter only with its present incarnation, and if it follows the leader", () => {
    const view = quorumView(self, description(99_500));
    assert.deepEqual([view.leaderId, view.term], [1, 7]);
    assert.deepEqual(view.voters[1], { id: 2, incarnation: "two", caughtUp: true });
    assert.equal(isVoting(view), true);
    assert.equal(isVoting(quorumView(self, description(90_000))), false, "not caught up");
    assert.equal(isVoting(quorumView(self, description(-1))), false, "never seen by the leader");
    assert.equal(isVoting(quorumView(self, description(99_500, "former"))), false, "lost its disk");
    assert.equal(isVoting(quorumView({ ...self, nodeId: 3 }, description(99_500))), false, "an observer");
  });

  it("has no leader while the leader is not a voter", () => {
    const { voters } = description(99_500);
    assert.equal(quorumView(self, { ...description(0), voters: voters.slice(1) }).leaderId, undefined);
  });

  it("reports changes of the voters by the status of the contract", () => {
    const status = (change: "add" | "remove", errorCode: number): number =>
      changeStatus(change, { errorCode, message: "" });
    assert.deepEqual(
      [status("add", 0), status("add", 7), status("add", 6), status("add", 126), status("add", 87)],
      [200, 202, 409, 422, 503],
    );
    assert.deepEqual([status("remove", 127), status("add", 127)], [200, 422]);
  });
});

describe("the partitions of a broker", () => {
  const partition = (topic: string, replicas: number[], inSync = replicas) => ({
    topic,
    index: 0,
    leader: inSync[0] ?? -1,
    replicas,
    inSync,
  });
  const known = (...partitions: Metadata["partitions"]): Metadata => ({ brokers: [1, 2, 3, 4], partitions });

  it("allow a restart only if all keep their minimum of in-sync replicas without it", () => {
    const minimum = new Map([["a", 2]]);
    const check = (...partitions: Metadata["partitions"]) => restartCheck(1, known(...partitions), minimum);

    assert.equal(check().safe, true);
    assert.equal(check(partition("a", [1, 2, 3])).safe, true);
    assert.equal(check(partition("a", [1, 2, 3], [2, 3])).safe, true, "a replica that is not in sync adds nothing");
    assert.equal(check(partition("a", [2, 3, 4], [2])).safe, true, "the broker has no replica");
    assert.deepEqual(check(partition("a", [1, 2, 3], [1, 2]), partition("a", [1, 2, 3], [1, 3])), {
      safe: false,
      reason: "partition a-0 and 1 more would fall below the minimum of in-sync replicas",
    });
    assert.equal(check(partition("new", [1, 2, 3])).safe, false, "the minimum of a new topic is not known");
  });

  it("move to the brokers with the fewest replicas, and stay if there is none", () => {
    const all = known(partition("a", [1, 2, 3]), partition("b", [2, 1, 4]), partition("c", [2, 3, 4]));

    assert.deepEqual(drainMoves(1, all, []), [
      { topic: "a", index: 0, replicas: [4, 2, 3] },
      { topic: "b", index: 0, replicas: [2, 3, 4] },
    ]);
    assert.deepEqual(drainMoves(1, { ...all, brokers: [1, 2, 3] }, []), [
      { topic: "b", index: 0, replicas: [2, 3, 4] },
    ]);
    const moving = { topic: "a", index: 0, adding: [4], removing: [1] };
    assert.deepEqual(
      drainMoves(1, all, [moving]).map(({ topic }) => topic),
      ["b"],
    );
    assert.deepEqual(drainCancellations(1, [moving, { ...moving, topic: "b", removing: [2] }]), [
      { topic: "a", index: 0, replicas: null },
    ]);
  });
});
