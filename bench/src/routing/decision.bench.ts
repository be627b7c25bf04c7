import type { BenchCases } from "../harness/case.ts";
import { type SubjectName, subjects } from "./subjects.ts";

const names = Object.keys(subjects) as SubjectName[];

export const cases: BenchCases = names.map((name) => ({ name, subjects: { [name]: subjects[name] } }));
