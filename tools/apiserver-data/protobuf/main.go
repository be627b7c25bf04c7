// Protobuf reads the Go types of the Kubernetes API by reflection and generates the table that a codec in another language
// needs. It also generates test vectors for that codec: the results of Kubernetes' own libraries for many inputs.
// The output is reproducible with the same Go version and modules.
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

// A section is one named list of a vector file.
type section struct {
	name  string
	cases []any
}

func main() {
	table := flag.String("table", "", "file the table of types is written to")
	out := flag.String("out", "", "folder the vector files are written to")
	only := flag.String("only", "", "write only this vector file")
	flag.Parse()
	if *table == "" && *out == "" {
		fail(fmt.Errorf("specify what to write: -table FILE or -out FOLDER"))
	}
	if *table != "" {
		write(*table, renderTable())
	}
	if *out == "" {
		return
	}
	files := []struct {
		name string
		make func() []section
	}{
		{"protobuf.json", protobufSections},
		{"decode.json", decodeSections},
		{"json-text.json", textSections},
		{"json-patch.json", jsonPatchSections},
		{"strategic-patch.json", strategicSections},
		{"media-types.json", mediaSections},
	}
	for _, file := range files {
		if *only != "" && *only != file.name {
			continue
		}
		sections := file.make()
		write(filepath.Join(*out, file.name), render(sections))
		for _, section := range sections {
			fmt.Printf("%s: %d %s\n", file.name, len(section.cases), section.name)
		}
	}
}

// render writes one case per line, so that a changed result is a changed line.
func render(sections []section) []byte {
	var out bytes.Buffer
	out.WriteString("{\n\"versions\": ")
	out.Write(encode(versions()))
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

// versions returns the versions of the libraries.
func versions() map[string]string {
	result := map[string]string{"go": runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		fail(fmt.Errorf("this program was built without module information"))
	}
	for _, module := range info.Deps {
		switch module.Path {
		case "k8s.io/api", "k8s.io/apimachinery", "sigs.k8s.io/json", "gopkg.in/evanphx/json-patch.v4":
			result[module.Path] = module.Version
		}
	}
	return result
}

func write(path string, content []byte) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		fail(err)
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
