// Command cel-vectors evaluates each expression in cases/ in the CEL environment of a real Kubernetes, and prints
// the results: compile errors, result type, value or error text, runtime cost and estimated cost.
//
// The output is the reference for the engine in packages/cel. Run it with
//
//	go run . > ../../packages/cel/vectors/libraries.json
//
// The output is reproducible: every expression is evaluated many times, and the program stops at one whose result varies
// (with the iteration order of a Go map) and names it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "cel-vectors:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	cases, err := loadCases()
	if err != nil {
		return err
	}
	engine, err := newEngine()
	if err != nil {
		return err
	}

	writer := bufio.NewWriter(out)
	header, err := marshal(map[string]any{
		"kubernetes": moduleVersion("k8s.io/apiserver"),
		"celGo":      moduleVersion("github.com/google/cel-go"),
		"go":         runtime.Version(),
		"variables":  variables,
		"sizes":      sizes,
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(writer, "{\"about\": %s,\n\"cases\": [\n", header)
	for i, c := range cases {
		answer, err := engine.answer(c)
		if err != nil {
			return err
		}
		line, err := marshal(answer)
		if err != nil {
			return err
		}
		separator := ",\n"
		if i == len(cases)-1 {
			separator = "\n"
		}
		fmt.Fprint(writer, line, separator)
	}
	fmt.Fprint(writer, "]}\n")
	return writer.Flush()
}

// marshal is json.Marshal without HTML escapes, so that expressions stay readable.
func marshal(value any) (string, error) {
	var builder lineBuilder
	encoder := json.NewEncoder(&builder)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	return builder.line(), nil
}

func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, dependency := range info.Deps {
		if dependency.Path == path {
			return dependency.Version
		}
	}
	return "unknown"
}

type lineBuilder struct{ bytes []byte }

func (b *lineBuilder) Write(p []byte) (int, error) {
	b.bytes = append(b.bytes, p...)
	return len(p), nil
}

func (b *lineBuilder) line() string {
	return string(b.bytes[:len(b.bytes)-1])
}
