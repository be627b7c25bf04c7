package main

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// Variable is a variable of all expressions. Its type is the checked type of the expression that defines its value.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// variables have values of every kind that a custom resource can contain, and some that exist only in CEL.
var variables = []Variable{
	{"name", "'homeostat-controller'"},
	{"text", "'h\\u00e9llo w\\u00f6rld \\U0001f600!'"},
	{"empty", "''"},
	{"count", "3"},
	{"large", "9223372036854775807"},
	{"unsigned", "7u"},
	{"ratio", "0.5"},
	{"enabled", "true"},
	{"raw", "b'\\xff\\x00abc'"},
	{"moment", "timestamp('2024-02-29T12:34:56.789Z')"},
	{"delay", "duration('90m')"},
	{"ports", "[80, 443, 8080]"},
	{"tags", "['b', 'a', 'c', 'a']"},
	{"ratios", "[0.5, 1.5]"},
	{"matrix", "[[1, 2], [3], [4, 5, 6]]"},
	{"nobody", "[1].filter(x, x > 1)"},
	{"labels", "{'app': 'web', 'tier': 'front'}"},
	{"one", "{'only': 'value'}"},
	{"limits", "{'cpu': 4}"},
	{"groups", "{'admins': ['ann', 'bob']}"},
	{"anything", "dyn({'a': dyn(1), 'b': dyn('two'), 'c': dyn([dyn(1), dyn(2.5), dyn('x')]), 'd': dyn({'e': true}), 'n': dyn(null)})"},
	{"mixed", "[dyn(1), dyn('two'), dyn(3.0), dyn(true), dyn(null)]"},
	{"dynInt", "dyn(5)"},
	{"dynText", "dyn('five')"},
	{"nothing", "dyn(null)"},
	{"some", "optional.of('present')"},
	{"none", "optional.of('x').optFlatMap(x, x == 'y' ? optional.of(x) : optional.none())"},
}

// sizes are the largest sizes that the cost estimator may assume, by path. Other paths have no known size.
var sizes = map[string]uint64{
	"name":                  63,
	"text":                  256,
	"raw":                   128,
	"ports":                 10,
	"tags":                  20,
	"tags.@items":           32,
	"ratios":                8,
	"matrix":                5,
	"matrix.@items":         6,
	"labels":                64,
	"labels.@keys":          63,
	"labels.@values":        63,
	"limits":                4,
	"limits.@keys":          16,
	"groups":                3,
	"groups.@keys":          16,
	"groups.@values":        50,
	"groups.@values.@items": 24,
}

type sizeTable struct{}

func (sizeTable) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	if size, found := sizes[strings.Join(node.Path(), ".")]; found {
		return &checker.SizeEstimate{Min: 0, Max: size}
	}
	return nil
}

func (sizeTable) EstimateCallCost(_, _ string, _ *checker.AstNode, _ []checker.AstNode) *checker.CallEstimate {
	return nil
}

type engine struct {
	env       *cel.Env
	values    map[string]any
	estimator *library.CostEstimator
}

// Answer is the result of Kubernetes for one expression. Exactly one of Panic, Compile, Program, Error and Value is set.
type Answer struct {
	Group string `json:"g"`
	Expr  string `json:"e"`
	// Panic is set if the compiler of Kubernetes panics.
	Panic   string   `json:"panic,omitempty"`
	Compile []string `json:"compile,omitempty"`
	Program string   `json:"program,omitempty"`
	Type    string   `json:"t,omitempty"`
	// Runtime is the type name of the value, if it differs from the checked type.
	Runtime string `json:"rt,omitempty"`
	Value   string `json:"v,omitempty"`
	Error   string `json:"err,omitempty"`
	// Cost is omitted if it depends on the iteration order of a map.
	Cost     *uint64    `json:"c,omitempty"`
	Estimate *[2]string `json:"est,omitempty"`
}

func newEngine() (*engine, error) {
	base, err := environment.MustBaseEnvSet(version.MajorMinor(1, 36)).Env(environment.StoredExpressions)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	var options []cel.EnvOption
	for _, variable := range variables {
		ast, issues := base.Compile(variable.Value)
		if issues != nil {
			return nil, fmt.Errorf("variable %s: %w", variable.Name, issues.Err())
		}
		program, err := base.Program(ast)
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", variable.Name, err)
		}
		value, _, err := program.Eval(map[string]any{})
		if err != nil {
			return nil, fmt.Errorf("variable %s: %w", variable.Name, err)
		}
		values[variable.Name] = value
		options = append(options, cel.Variable(variable.Name, ast.OutputType()))
	}
	env, err := base.Extend(options...)
	if err != nil {
		return nil, err
	}
	return &engine{env: env, values: values, estimator: &library.CostEstimator{SizeEstimator: sizeTable{}}}, nil
}

// Outcome is the result of one evaluation.
type Outcome struct {
	Value   string
	Runtime string
	Error   string
	Cost    uint64
}

const repetitions = 24

// answer compiles an expression once and evaluates it many times. It rejects an expression whose outcome varies, for example
// with the iteration order of a map. If only the cost varies, the cost is omitted.
func (e *engine) answer(c Case) (answer Answer, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			answer = Answer{Group: c.Group, Expr: c.Expr, Panic: fmt.Sprint(problem)}
		}
	}()
	answer = Answer{Group: c.Group, Expr: c.Expr}
	ast, issues := e.env.Compile(c.Expr)
	if issues != nil && issues.Err() != nil {
		for _, issue := range issues.Errors() {
			answer.Compile = append(answer.Compile, fmt.Sprintf("%d:%d: %s", issue.Location.Line(), issue.Location.Column(), issue.Message))
		}
		return answer, nil
	}
	answer.Type = ast.OutputType().String()
	estimate, err := e.env.EstimateCost(ast, e.estimator)
	if err != nil {
		return answer, fmt.Errorf("%q: %w", c.Expr, err)
	}
	answer.Estimate = &[2]string{fmt.Sprint(estimate.Min), fmt.Sprint(estimate.Max)}
	program, err := e.env.Program(ast, cel.CostTracking(e.estimator))
	if err != nil {
		answer.Program = err.Error()
		return answer, nil
	}
	first, err := e.evaluate(program)
	if err != nil {
		return answer, fmt.Errorf("%q: %w", c.Expr, err)
	}
	costVaries := false
	for i := 1; i < repetitions; i++ {
		again, err := e.evaluate(program)
		if err != nil {
			return answer, fmt.Errorf("%q: %w", c.Expr, err)
		}
		costVaries = costVaries || again.Cost != first.Cost
		if again.Value != first.Value || again.Error != first.Error {
			return answer, fmt.Errorf("%s: the outcome of %q varies: %+v, %+v", c.Group, c.Expr, first, again)
		}
	}
	answer.Value, answer.Error = first.Value, first.Error
	if !costVaries {
		answer.Cost = &first.Cost
	}
	if !strings.HasPrefix(answer.Type, first.Runtime) {
		answer.Runtime = first.Runtime
	}
	return answer, nil
}

func (e *engine) evaluate(program cel.Program) (Outcome, error) {
	value, details, evaluationError := program.Eval(e.values)
	outcome := Outcome{}
	if details != nil && details.ActualCost() != nil {
		outcome.Cost = *details.ActualCost()
	}
	if evaluationError != nil {
		outcome.Error = evaluationError.Error()
		return outcome, nil
	}
	text, err := render(value)
	outcome.Value, outcome.Runtime = text, value.Type().TypeName()
	return outcome, err
}
