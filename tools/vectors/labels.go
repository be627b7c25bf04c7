package main

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

type labelCase struct {
	In    string `json:"in"`
	Error bool   `json:"error,omitempty"`
	Text  string `json:"text"`
	// Matches has a 1 for each label set of the file that the selector matches, in order.
	Matches string `json:"matches,omitempty"`
}

type labelObjectCase struct {
	Selector *metav1.LabelSelector `json:"selector"`
	Error    bool                  `json:"error,omitempty"`
	Text     string                `json:"text"`
	Matches  string                `json:"matches,omitempty"`
}

var labelSets = []labels.Set{
	{},
	{"app": "web"},
	{"app": "db", "tier": "back"},
	{"app": "", "tier": "front", "example.com/role": "a"},
	{"n": "5", "app": "web", "x": "in"},
	{"n": "10", "in": "notin", "notin": "in"},
	{"n": "-3", "x": "", "tier": "back"},
	{"n": "9223372036854775808", "app": "Web"},
	{"n": "9223372036854775807", "x": "y", "app": "db"},
	{"n": "five", "example.com/role": "", "a.b-c_d": "1.0"},
	{"n": "+7", "app": "api", "tier": "front", "x": "z"},
	{"__proto__x": "1", "constructor": "c", "toString": "t", "app": "cache"},
	{"n": "1_0", "k8s.io/a": "b", "app": "web", "tier": "mid"},
	{"n": "007", "x": "a", "y": "b", "z": "c"},
}

func labelSections() []section {
	var sets, texts, objects []any
	for _, set := range labelSets {
		sets = append(sets, set)
	}
	for _, text := range once(append(append([]string{}, labelTexts...), randomLabelSelectors(2600)...)) {
		texts = append(texts, parseLabels(text))
	}
	for _, selector := range append(append([]*metav1.LabelSelector{}, labelObjects...), randomLabelObjects(500)...) {
		objects = append(objects, fromObject(selector))
	}
	return []section{{"labels", sets}, {"texts", texts}, {"objects", objects}}
}

func parseLabels(text string) labelCase {
	selector, err := labels.Parse(text)
	if err != nil {
		return labelCase{In: text, Error: true}
	}
	return labelCase{In: text, Text: selector.String(), Matches: labelMatches(selector)}
}

func fromObject(object *metav1.LabelSelector) labelObjectCase {
	selector, err := metav1.LabelSelectorAsSelector(object)
	if err != nil {
		return labelObjectCase{Selector: object, Error: true}
	}
	return labelObjectCase{Selector: object, Text: selector.String(), Matches: labelMatches(selector)}
}

func labelMatches(selector labels.Selector) string {
	var out strings.Builder
	for _, set := range labelSets {
		out.WriteString(bit(selector.Matches(set)))
	}
	return out.String()
}

func bit(set bool) string {
	if set {
		return "1"
	}
	return "0"
}

var (
	labelKeys   = []string{"app", "tier", "n", "x", "y", "in", "notin", "example.com/role", "a.b-c_d", "constructor", "k8s.io/a"}
	labelValues = []string{"web", "db", "front", "back", "a", "b", "", "in", "notin", "5", "10", "7", "1.0", "y", "z", "t"}
	wrongLabels = []string{"-x", "x-", "a b", "é", "x/y/z", "/x", "x/", "UP.case/x", ".", "_", "a@b", "=", strings.Repeat("a", 64)}
)

// randomLabelSelectors generates at most ten requirements, twelve when mutated: beyond that the order of equal keys is unstable in Kubernetes.
func randomLabelSelectors(count int) []string {
	d := newDice(2)
	out := make([]string, 0, count)
	for range count {
		parts := make([]string, 0, 4)
		for range 1 + d.below(pick(d, []int{1, 2, 4, 10})) {
			parts = append(parts, randomRequirement(d))
		}
		text := strings.Join(parts, pick(d, []string{",", ",", ", ", " ,", "\t,\n"}))
		if d.oneIn(3) {
			text = d.damage(text, "=!(),<> \tin-_./aZ09\r\x00é")
		}
		out = append(out, text)
	}
	return out
}

func randomRequirement(d *dice) string {
	key := pick(d, labelKeys)
	if d.oneIn(40) {
		key = pick(d, wrongLabels)
	}
	gap := pick(d, []string{"", "", " ", "  ", "\t"})
	switch d.below(8) {
	case 0:
		return key
	case 1:
		return "!" + gap + key
	case 2, 3:
		return key + gap + pick(d, []string{"=", "==", "!="}) + gap + labelValue(d)
	case 4:
		return key + gap + pick(d, []string{"<", ">"}) + gap + pick(d, []string{"5", "0", "7", "10", "9223372036854775807", "9223372036854775808", "x", "", "-1", "007"})
	default:
		values := make([]string, 0, 4)
		for range d.below(5) {
			values = append(values, labelValue(d))
		}
		return key + " " + pick(d, []string{"in", "notin"}) + gap + "(" + gap + strings.Join(values, gap+",") + gap + ")"
	}
}

func labelValue(d *dice) string {
	if d.oneIn(60) {
		return pick(d, wrongLabels)
	}
	return pick(d, labelValues)
}

func randomLabelObjects(count int) []*metav1.LabelSelector {
	d := newDice(3)
	operators := []metav1.LabelSelectorOperator{"In", "NotIn", "Exists", "DoesNotExist"}
	out := make([]*metav1.LabelSelector, 0, count)
	for range count {
		selector := &metav1.LabelSelector{}
		for range d.below(3) {
			if selector.MatchLabels == nil {
				selector.MatchLabels = map[string]string{}
			}
			selector.MatchLabels[pick(d, labelKeys)] = labelValue(d)
		}
		for range d.below(4) {
			expression := metav1.LabelSelectorRequirement{Key: pick(d, labelKeys), Operator: pick(d, operators)}
			if d.oneIn(30) {
				expression.Operator = pick(d, []metav1.LabelSelectorOperator{"", "in", "Gt", "Lt", "=", "exists"})
			}
			if d.oneIn(40) {
				expression.Key = pick(d, wrongLabels)
			}
			if (expression.Operator == "In" || expression.Operator == "NotIn") != d.oneIn(25) {
				for range 1 + d.below(3) {
					expression.Values = append(expression.Values, labelValue(d))
				}
			}
			selector.MatchExpressions = append(selector.MatchExpressions, expression)
		}
		out = append(out, selector)
	}
	return out
}
