// Vectors runs inputs through Kubernetes' own libraries and writes the results as JSON: the reference for the
// parsers in packages/core. The output is reproducible with the same Go version and libraries.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
)

const machinery = "k8s.io/apimachinery"

// A section is one named list of a vector file.
type section struct {
	name  string
	cases []any
}

func main() {
	out := flag.String("out", "", "folder the vector files are written to")
	flag.Parse()
	if *out == "" {
		fail(fmt.Errorf("specify the output folder: go run . -out ../../packages/core/vectors"))
	}

	files := []struct {
		name     string
		sections []section
	}{
		{"quantity.json", quantitySections()},
		{"label-selector.json", labelSections()},
		{"field-selector.json", fieldSections()},
		{"names.json", nameSections()},
		{"duration.json", durationSections()},
		{"time.json", timeSections()},
	}
	for _, file := range files {
		path := filepath.Join(*out, file.name)
		if err := os.WriteFile(path, render(file.sections), 0o644); err != nil {
			fail(err)
		}
		for _, section := range file.sections {
			fmt.Printf("%s: %d %s\n", path, len(section.cases), section.name)
		}
	}
}

// render writes one case per line, so that a changed result is a changed line.
func render(sections []section) []byte {
	var out bytes.Buffer
	out.WriteString("{\n\"versions\": ")
	out.Write(encode(map[string]string{"go": runtime.Version(), machinery: machineryVersion()}))
	for _, section := range sections {
		fmt.Fprintf(&out, ",\n%q: [", section.name)
		for i, entry := range section.cases {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteByte('\n')
			out.Write(encode(entry))
		}
		out.WriteString("\n]")
	}
	out.WriteString("\n}\n")
	return out.Bytes()
}

func encode(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		fail(err)
	}
	return bytes.TrimSpace(out.Bytes())
}

func machineryVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		fail(fmt.Errorf("this program was built without module information"))
	}
	for _, module := range info.Deps {
		if module.Path == machinery {
			return module.Version
		}
	}
	fail(fmt.Errorf("%s is not among the modules of this program", machinery))
	return ""
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "vectors:", err)
	os.Exit(1)
}
