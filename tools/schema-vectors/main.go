// Command schema-vectors runs schemas and objects through the libraries of the Kubernetes API server.
//
// It reads one case per line from standard input and writes it back with the results. Existing results
// are replaced, so the output of one run is the input of the next.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"
)

// object is one object of a case and its results.
type object struct {
	// Object is what a client sends, Old what is stored; without Old the object is created.
	Object json.RawMessage `json:"object"`
	Old    json.RawMessage `json:"old,omitempty"`

	// Refused is the decoding error.
	Refused string `json:"refused,omitempty"`
	// Dropped lists unknown fields, Stored is the object with defaults, Problems lists validation errors.
	Dropped  []string       `json:"dropped,omitempty"`
	Stored   map[string]any `json:"stored,omitempty"`
	Problems []string       `json:"problems,omitempty"`
}

// testCase is a schema with its problems or, for a valid schema, objects.
type testCase struct {
	Schema   json.RawMessage `json:"schema"`
	Problems []string        `json:"problems,omitempty"`
	Objects  []object        `json:"objects,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for number := 1; lines.Scan(); number++ {
		var each testCase
		if err := json.Unmarshal(lines.Bytes(), &each); err != nil {
			fail(number, err)
		}
		if err := answer(&each); err != nil {
			fail(number, err)
		}
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(each); err != nil {
			fail(number, err)
		}
	}
	if err := lines.Err(); err != nil {
		fail(0, err)
	}
}

func fail(line int, err error) {
	fmt.Fprintf(os.Stderr, "line %d: %v\n", line, err)
	os.Exit(1)
}

func answer(each *testCase) error {
	definition, problems, err := define(each.Schema)
	if err != nil {
		return err
	}
	each.Problems = problems
	if definition == nil {
		each.Objects = nil
		return nil
	}
	for i := range each.Objects {
		given := each.Objects[i]
		each.Objects[i] = definition.store(given.Object, given.Old)
	}
	return nil
}

// sorted sorts messages, because the API server reports them in random map order.
func sorted(texts []string) []string {
	sort.Strings(texts)
	return texts
}
