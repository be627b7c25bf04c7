// Command rules evaluates the rules in rules.txt with the code of the Kubernetes API server and prints one JSON line per rule.
package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"log"
	"os"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	kubecel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

//go:embed subject.json
var subjectJSON []byte

//go:embed rules.txt
var rulesText string

// answer is one line of the output. Which fields are there tells how far the rule got.
type answer struct {
	Rule    string  `json:"rule"`
	Compile string  `json:"compile,omitempty"`
	Program string  `json:"program,omitempty"`
	Type    string  `json:"type,omitempty"`
	Value   string  `json:"value,omitempty"`
	Error   string  `json:"error,omitempty"`
	Cost    *uint64 `json:"cost,omitempty"`
	Min     *uint64 `json:"min,omitempty"`
	Max     *uint64 `json:"max,omitempty"`
}

// subject is what the rules are about.
type subject struct {
	Schema  apiextensionsv1.JSONSchemaProps `json:"schema"`
	Self    json.RawMessage                 `json:"self"`
	OldSelf json.RawMessage                 `json:"oldSelf"`
}

// setting is everything needed to evaluate a rule.
type setting struct {
	env  *cel.Env
	root *kubecel.DeclType
	vars map[string]any
}

func main() {
	s, err := prepare()
	if err != nil {
		log.Fatal(err)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for _, rule := range strings.Split(strings.TrimSpace(rulesText), "\n") {
		if err := encoder.Encode(s.answer(rule)); err != nil {
			log.Fatal(err)
		}
	}
}

func prepare() (*setting, error) {
	var about subject
	if err := json.Unmarshal(subjectJSON, &about); err != nil {
		return nil, err
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&about.Schema, &internal, nil); err != nil {
		return nil, err
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		return nil, err
	}
	root := model.SchemaDeclType(structural, false)
	self := root.MaybeAssignTypeName("selfType1")
	set, err := environment.MustBaseEnvSet(version.MajorMinor(1, 36)).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions: []cel.EnvOption{
			cel.Variable("self", self.CelType()),
			cel.Variable("oldSelf", self.CelType()),
			// What oldSelf is under optionalOldSelf.
			cel.Variable("previous", cel.OptionalType(self.CelType())),
		},
		DeclTypes: []*kubecel.DeclType{self},
	})
	if err != nil {
		return nil, err
	}
	vars := map[string]any{}
	for name, raw := range map[string]json.RawMessage{"self": about.Self, "oldSelf": about.OldSelf} {
		var value any
		if err := kubejson.Unmarshal(raw, &value); err != nil {
			return nil, err
		}
		vars[name] = schemacel.UnstructuredToVal(value, structural)
	}
	vars["previous"] = types.OptionalOf(vars["oldSelf"].(ref.Val))
	return &setting{env: set.StoredExpressionsEnv(), root: root, vars: vars}, nil
}

func (s *setting) answer(rule string) answer {
	a := answer{Rule: rule}
	ast, issues := s.env.Compile(rule)
	if issues.Err() != nil {
		a.Compile = issues.String()
		return a
	}
	a.Type = checker.FormatCELType(ast.OutputType())
	costs := &library.CostEstimator{SizeEstimator: s}
	program, err := s.env.Program(ast, cel.CostLimit(1_000_000), cel.CostTracking(costs))
	if err != nil {
		a.Program = err.Error()
		return a
	}
	estimate, err := s.env.EstimateCost(ast, costs)
	if err != nil {
		log.Fatal(err)
	}
	a.Min, a.Max = &estimate.Min, &estimate.Max
	value, details, err := program.Eval(s.vars)
	if details != nil {
		a.Cost = details.ActualCost()
	}
	if err != nil {
		a.Error = err.Error()
	} else {
		a.Value = types.Format(value)
	}
	return a
}

// EstimateSize tells how large the values at a path of the schema can be.
func (s *setting) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	path := node.Path()
	if len(path) == 0 {
		return nil
	}
	place := s.root
	for _, step := range path[1:] {
		if place = descend(place, step); place == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Max: uint64(place.MaxElements)}
}

// EstimateCallCost leaves calls to the rules of Kubernetes.
func (s *setting) EstimateCallCost(_, _ string, _ *checker.AstNode, _ []checker.AstNode) *checker.CallEstimate {
	return nil
}

func descend(place *kubecel.DeclType, step string) *kubecel.DeclType {
	switch step {
	case "@items", "@values":
		return place.ElemType
	case "@keys":
		return place.KeyType
	}
	if field, found := place.Fields[step]; found {
		return field.Type
	}
	return nil
}
