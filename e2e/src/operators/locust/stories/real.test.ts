import { reasonToSkip } from "../../../harness/cluster.ts";
import { describeStories } from "./describe-stories.ts";
import { realSubject } from "./subject.ts";

const skip = (await reasonToSkip({ need: "node" })) ?? false;

describeStories("the Locust operator on a real node, with real Locust", { skip, start: realSubject });
