package main

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

// Case is one expression and the group it belongs to.
type Case struct {
	Group string
	Expr  string
}

//go:embed cases/*.txt
var caseFiles embed.FS

// loadCases returns the cases of all files in cases/, in the order of the file names, followed by the mutated ones, without
// duplicates.
//
// A file has one expression per line. Lines starting with "#" and empty lines are skipped. A line "@name = a | b | c"
// defines a list of texts; an expression with "{name}" expands to one expression per text, and one with several names to
// all combinations. "{name#2}" is a second choice from the same list.
func loadCases() ([]Case, error) {
	entries, err := caseFiles.ReadDir("cases")
	if err != nil {
		return nil, err
	}
	var cases []Case
	seen := map[string]bool{}
	for _, entry := range entries {
		content, err := caseFiles.ReadFile(path.Join("cases", entry.Name()))
		if err != nil {
			return nil, err
		}
		group := strings.TrimSuffix(entry.Name(), ".txt")
		lists := map[string][]string{}
		for number, line := range strings.Split(string(content), "\n") {
			if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
				continue
			}
			if definition, isDefinition := strings.CutPrefix(line, "@"); isDefinition {
				name, texts, found := strings.Cut(definition, " = ")
				if !found {
					return nil, fmt.Errorf("%s:%d: expected a list \"@name = a | b\"", entry.Name(), number+1)
				}
				lists[name] = append(lists[name], strings.Split(texts, " | ")...)
				continue
			}
			for _, expression := range expand(line, lists) {
				if !seen[expression] {
					seen[expression] = true
					cases = append(cases, Case{Group: group, Expr: expression})
				}
			}
		}
	}
	for _, c := range mutatedCases() {
		if !seen[c.Expr] {
			seen[c.Expr] = true
			cases = append(cases, c)
		}
	}
	return cases, nil
}

// expand replaces the first "{name}" or "{name#2}" of a known list by each of its texts, at every position in the line,
// and expands the result recursively.
func expand(line string, lists map[string][]string) []string {
	place, name := "", ""
	start := len(line)
	for candidate := range lists {
		for _, written := range []string{"{" + candidate + "}", "{" + candidate + "#2}"} {
			if at := strings.Index(line, written); at >= 0 && at < start {
				place, name, start = written, candidate, at
			}
		}
	}
	if place == "" {
		return []string{line}
	}
	var expanded []string
	for _, text := range lists[name] {
		expanded = append(expanded, expand(strings.ReplaceAll(line, place, text), lists)...)
	}
	return expanded
}
