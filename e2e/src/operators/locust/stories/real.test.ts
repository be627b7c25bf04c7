import { reasonToSkip } from "../../../harness/cluster.ts";
import { playAll } from "./play.ts";
import { realSubject } from "./subject.ts";

const skip = (await reasonToSkip({ need: "node" })) ?? false;

playAll("the Locust operator on a real node, with real Locust", { skip, start: realSubject });
