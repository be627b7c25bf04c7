// Writes the input of the TypeScript generator for a Kubernetes release as one JSON document: the OpenAPI
// definitions of the built-in types with their enums, and the resources of the API server's discovery documents.
//
//	go run . > ../generated/kubernetes-<release>.json
//
// Everything comes from the published modules pinned in go.mod; the output is reproducible.
package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	release, folder, err := moduleOf("k8s.io/kubernetes")
	if err != nil {
		return err
	}
	resources, err := readDiscovery(folder)
	if err != nil {
		return err
	}
	definitions, err := collectDefinitions(resources)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	writeJSON(out, map[string]any{
		"licence":     "Descriptions: Copyright The Kubernetes Authors, Apache License, Version 2.0",
		"release":     strings.TrimPrefix(release, "v"),
		"resources":   resources,
		"definitions": definitions,
	}, 0)
	out.WriteByte('\n')
	return out.Flush()
}

// moduleOf returns the version and the folder of a module, as reported by the go command.
func moduleOf(path string) (version, folder string, err error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", path).Output()
	if err != nil {
		return "", "", fmt.Errorf("go list -m %s: %w", path, err)
	}
	version, folder, found := strings.Cut(strings.TrimSpace(string(out)), " ")
	if !found || folder == "" {
		return "", "", fmt.Errorf("module %s is not downloaded: run `go mod download` first", path)
	}
	return version, folder, nil
}
