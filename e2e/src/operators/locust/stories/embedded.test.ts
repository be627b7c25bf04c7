import { playAll } from "./play.ts";
import { embeddedSubject } from "./subject.ts";

playAll("the Locust operator on the embedded cluster", { skip: false, start: embeddedSubject });
