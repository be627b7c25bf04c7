import { describeStories } from "./describe-stories.ts";
import { embeddedSubject } from "./subject.ts";

describeStories("the Locust operator on the embedded cluster", { skip: false, start: embeddedSubject });
