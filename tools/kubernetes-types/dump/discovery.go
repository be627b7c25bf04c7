package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// resource is one entry of discovery with its subresources folded in.
type resource struct {
	Group        string        `json:"group"`
	Version      string        `json:"version"`
	Kind         string        `json:"kind"`
	Plural       string        `json:"plural"`
	Singular     string        `json:"singular"`
	Namespaced   bool          `json:"namespaced"`
	ShortNames   []string      `json:"shortNames,omitempty"`
	Categories   []string      `json:"categories,omitempty"`
	Verbs        []string      `json:"verbs"`
	Subresources []subresource `json:"subresources,omitempty"`
}

// subresource has its own group and version if its body is of another kind: `scale` uses autoscaling/v1.
type subresource struct {
	Name    string   `json:"name"`
	Group   string   `json:"group"`
	Version string   `json:"version"`
	Kind    string   `json:"kind"`
	Verbs   []string `json:"verbs"`
}

type discoveryList struct {
	GroupVersion string `json:"groupVersion"`
	Resources    []struct {
		Name         string   `json:"name"`
		SingularName string   `json:"singularName"`
		Namespaced   bool     `json:"namespaced"`
		Group        string   `json:"group"`
		Version      string   `json:"version"`
		Kind         string   `json:"kind"`
		Verbs        []string `json:"verbs"`
		ShortNames   []string `json:"shortNames"`
		Categories   []string `json:"categories"`
	} `json:"resources"`
}

// One file per group and version, written by a server with all APIs enabled, including alpha and beta.
var discoveryFile = regexp.MustCompile(`^apis?__(.+__)?v[0-9a-z]+\.json$`)

// readDiscovery reads the discovery documents that are stored in the Kubernetes repository.
func readDiscovery(kubernetes string) ([]resource, error) {
	folder := filepath.Join(kubernetes, "api", "discovery")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var all []resource
	for _, entry := range entries {
		if !discoveryFile.MatchString(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		var list discoveryList
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		found, err := fold(list)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		all = append(all, found...)
	}
	sort.Slice(all, func(i, j int) bool { return sortKey(all[i]) < sortKey(all[j]) })
	return all, nil
}

func sortKey(r resource) string {
	return r.Group + "\x00" + r.Version + "\x00" + r.Kind + "\x00" + r.Plural
}

// fold puts each `plural/subresource` entry below its `plural`.
func fold(list discoveryList) ([]resource, error) {
	group, version, found := strings.Cut(list.GroupVersion, "/")
	if !found {
		group, version = "", list.GroupVersion
	}
	byPlural := map[string]*resource{}
	var order []string
	for _, entry := range list.Resources {
		if strings.Contains(entry.Name, "/") {
			continue
		}
		byPlural[entry.Name] = &resource{
			Group: group, Version: version, Kind: entry.Kind, Plural: entry.Name, Singular: entry.SingularName,
			Namespaced: entry.Namespaced, ShortNames: entry.ShortNames, Categories: entry.Categories, Verbs: entry.Verbs,
		}
		order = append(order, entry.Name)
	}
	for _, entry := range list.Resources {
		plural, name, isSub := strings.Cut(entry.Name, "/")
		if !isSub {
			continue
		}
		parent := byPlural[plural]
		if parent == nil {
			return nil, fmt.Errorf("subresource %s has no parent resource", entry.Name)
		}
		sub := subresource{Name: name, Group: group, Version: version, Kind: entry.Kind, Verbs: entry.Verbs}
		if entry.Version != "" {
			sub.Group, sub.Version = entry.Group, entry.Version
		}
		parent.Subresources = append(parent.Subresources, sub)
	}
	resources := make([]resource, 0, len(order))
	for _, plural := range order {
		resources = append(resources, *byPlural[plural])
	}
	return resources, nil
}
