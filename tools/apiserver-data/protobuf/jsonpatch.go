package main

import (
	"encoding/json"
	"fmt"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

type jsonPatchCase struct {
	Document string `json:"document"`
	Patch    string `json:"patch"`
	// Malformed is the error if the text is not a patch.
	Malformed string `json:"malformed,omitempty"`
	Error     string `json:"error,omitempty"`
	// Panics is set if the library panics.
	Panics bool   `json:"panics,omitempty"`
	Result string `json:"result,omitempty"`
}

func jsonPatchSections() []section {
	chance := &source{state: 5}
	var cases []any
	document := `{"a":{"b":[1,2,{"c":null}],"x/y":"s","m~n":true},"list":["p","q","r"],"n":null,"num":1.5,"t":"x\u003cy","__proto__":{"z":1}}`
	for _, patch := range fixedPatches {
		cases = append(cases, patchOne(document, patch))
	}
	paths := []string{"", "/", "/a", "/a/b", "/a/b/0", "/a/b/2", "/a/b/2/c", "/a/b/3", "/a/b/4", "/a/b/-", "/a/b/-1", "/a/b/-3", "/a/b/-4", "/a/b/-5", "/a/b/01", "/a/b/x", "/a/x~1y", "/a/m~0n", "/a/m~2n", "/list", "/list/1", "/list/-", "/list/99999999999999999999", "/n", "/n/k", "/num", "/num/k", "/t", "/missing", "/missing/deep", "/__proto__", "/__proto__/z", "/a/b/2/c/d", "a", "/a/", "/a//b", "/list/+1", "/list/1e0"}
	values := []string{"1", "1.0", "1.5", "2", "null", "\"s\"", "\"x<y\"", "\"x\\u003cy\"", "true", "{}", "[]", "[1,2,{\"c\":null}]", "{\"z\":1}", "{\"k\":{\"deep\":[1]}}", "[1, 2, { \"c\" : null } ]", "\"\\u0073\""}
	for range 700 {
		var operations []string
		for range 1 + chance.int(3) {
			operation := fmt.Sprintf(`{"op":%q`, pick(chance, "add", "remove", "replace", "move", "copy", "test"))
			if !chance.chance(25) {
				operation += fmt.Sprintf(`,"path":%q`, pick(chance, paths...))
			}
			if chance.chance(2) {
				operation += fmt.Sprintf(`,"from":%q`, pick(chance, paths...))
			}
			if !chance.chance(8) {
				operation += `,"value":` + pick(chance, values...)
			}
			operations = append(operations, operation+"}")
		}
		cases = append(cases, patchOne(document, "["+strings.Join(operations, ",")+"]"))
	}
	return []section{{"patches", cases}, {"merges", mergeCases(chance)}}
}

type mergeCase struct {
	Document string `json:"document"`
	Patch    string `json:"patch"`
	Error    string `json:"error,omitempty"`
	Result   string `json:"result,omitempty"`
}

func mergeCases(chance *source) []any {
	document := `{"a":{"b":[1,2,{"c":null}],"x":"s","deep":{"k":1}},"list":["p",{"q":1}],"n":null,"num":1.5,"__proto__":{"z":1}}`
	var cases []any
	for _, patch := range []string{`{}`, `[]`, `null`, `1`, `"x"`, `{`, ``, `[1]`, `{"a":null,"a":1}`} {
		cases = append(cases, mergeOneCase(document, patch))
	}
	values := []string{"null", "1", "1.0", `"s"`, "{}", "[]", `[null,{"k":null}]`, `{"k":null}`, `{"k":{"deep":null,"list":[{"x":null,"y":[{"z":null}]}]}}`, `{"b":null}`, `{"b":[{"c":null}]}`, `{"deep":[{"n":null}]}`, `{"deep":{"k":null,"j":[null]}}`}
	keys := []string{"a", "list", "n", "num", "__proto__", "new", "constructor"}
	for range 200 {
		var members []string
		for range 1 + chance.int(3) {
			members = append(members, fmt.Sprintf("%q:%s", pick(chance, keys...), pick(chance, values...)))
		}
		cases = append(cases, mergeOneCase(document, "{"+strings.Join(members, ",")+"}"))
	}
	return cases
}

func mergeOneCase(document, patch string) mergeCase {
	result := mergeCase{Document: document, Patch: patch}
	out, err := jsonpatch.MergePatch([]byte(document), []byte(patch))
	if err != nil {
		result.Error = err.Error()
		return result
	}
	var value any
	if err := json.Unmarshal(out, &value); err != nil {
		fail(err)
	}
	result.Result = string(encode(value))
	return result
}

func patchOne(document, patch string) (result jsonPatchCase) {
	result = jsonPatchCase{Document: document, Patch: patch}
	defer func() {
		if recover() != nil {
			result.Panics = true
		}
	}()
	decoded, err := jsonpatch.DecodePatch([]byte(patch))
	if err != nil {
		result.Malformed = err.Error()
		return result
	}
	out, err := decoded.Apply([]byte(document))
	if err != nil {
		result.Error = err.Error()
		return result
	}
	var value any
	if err := json.Unmarshal(out, &value); err != nil {
		fail(err)
	}
	result.Result = string(encode(value))
	return result
}

var fixedPatches = []string{
	`[]`, `{}`, `null`, `1`, `"x"`, `[1]`, `[null]`, `[{}]`, `[[]]`, `[{"op":1,"path":"/a"}]`, `[{"op":"add"}]`, `[{"op":"add","path":1,"value":1}]`, `[{"op":"add","path":null,"value":1}]`,
	`[{"op":"frob","path":"/a"}]`, `[{"op":"ADD","path":"/a"}]`, `[{"op":"move","path":"/a"}]`, `[{"op":"move","from":5,"path":"/a"}]`, `[{"op":"copy","from":"/a"}]`, `[{"op":"replace","path":"","value":5}]`, `[{"op":"replace","path":"","value":{"k":1}}]`, `[{"op":"replace","path":"","value":[1]},{"op":"add","path":"/0","value":2}]`,
	`[{"op":"test","path":"","value":{"k":1}}]`, `[{"op":"add","path":"/a","value":1,"extra":true}]`, `[{"op":"add","path":"/list/1","value":"new"},{"op":"remove","path":"/list/0"},{"op":"test","path":"/list","value":["new","q","r"]}]`,
	`[{"op":"move","from":"/a","path":"/a/b"}]`, `[{"op":"move","from":"/list/0","path":"/list/2"}]`, `[{"op":"copy","from":"/a","path":"/list/-"}]`, `[{"op":"add","path":"/n","value":null},{"op":"test","path":"/n","value":null}]`, `[{"op":"add","path":"/new"}]`, `[{"op":"replace","path":"/new"}]`, `[{"op":"test","path":"/new"}]`, `[{"op":"test","path":"/n"}]`, `[`, ``, `[{"op":"add","path":"/a",}]`,
}
