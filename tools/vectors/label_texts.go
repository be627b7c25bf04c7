package main

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var labelTexts = []string{
	"", " ", "\t\n\r", "app", "!app", "! app", "app=web", "app==web", "app!=web", "app = web", "app=", "app==", "app!=",
	"app=,tier", "app=,tier=", "app in (web)", "app in (web,db)", "app in (db,web)", "app in (web,web)", "app in ()",
	"app in (,)", "app in (,,)", "app in (,web)", "app in (web,)", "app in (web,,db)", "app in ( web , db )", "app in(web)",
	"app notin (web)", "app notin ()", "app notin(web,db)", "app in (in,notin)", "in in (in)", "notin notin (notin)", "in",
	"notin", "in=notin", "in,notin", "!in", "!notin", "x in (foo,,baz),y,z notin ()", "n>5", "n<5", "n > 5", "n < 10",
	"n>9223372036854775807", "n>9223372036854775808", "n<-5", "n>+5", "n>x", "n>", "n<", "n>5,n<11", "n>007", "n>1_0",
	"n>=5", "n<=5", "n=>5", "n<>5", "n gt 5", "n gt (5)", "n lt 5",
	",", ",app", "app,", "app,,tier", "app tier", "app web=", "=", "==", "!=", "!", "!!", "!!app", "!app=web", "!app in (a)",
	"(", ")", "()", "app (web)", "app in", "app in web", "app in (", "app in (web", "app in (web,", "app in (web db)",
	"app in (web))", "app in ((web))", "app in (web),", "app in (web) tier", "app in (=)", "app in (a=b)", "app in (!a)",
	"app=(web)", "app=web)", "app=web=x", "app===web", "app=!web", "app!==web", "app!web", "app!!=web", "app=!=web",
	"app=web,app=db", "b,a", "b,a,b=1,a=2", "z=1,y=2,x=3", "app=web,tier=back,n=5",
	"example.com/role", "example.com/role=a", "Example.com/role", "example.com/", "/role", "a/b/c", "example.com/ro le",
	"-app", "app-", "app=-web", "app=web-", "app=web web", "app in (-a)", "app=a.b_c-d", "app=é", "é", "é=1", "app=a/b",
	"a.b-c_d=1.0", "__proto__", "__proto__=x", "constructor", "constructor=c", "toString=t", "hasOwnProperty", "!constructor",
	"app\x00tier", "app\x00", "\x00app", "app=\x00web", "app=web\x00", "app=web\x00,tier", "app=web,\x00tier", "app\x00\x00junk!",
	"app\u00a0", "app\u2003=web", "app\v", "app\f=web", "app;tier", "app|tier", "app&tier", "'app'", "\"app\"", "app='web'",
	strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a", 253) + "/b", strings.Repeat("a", 254) + "/b",
	"app=" + strings.Repeat("v", 63), "app=" + strings.Repeat("v", 64), "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t",
	"t,s,r,q,p,o,n,m,l,k,j,i,h,g,f,e,d,c,b,a=1",
}

var labelObjects = []*metav1.LabelSelector{
	nil,
	{},
	{MatchLabels: map[string]string{}},
	{MatchLabels: map[string]string{"app": "web"}},
	{MatchLabels: map[string]string{"app": "web", "tier": "front"}},
	{MatchLabels: map[string]string{"app": ""}},
	{MatchLabels: map[string]string{"-app": "web"}},
	{MatchLabels: map[string]string{"app": "web-"}},
	{MatchLabels: map[string]string{"": "web"}},
	{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "In", Values: []string{"b", "a", "b"}}}},
	{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "In"}}},
	{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "NotIn"}}},
	{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Exists", Values: []string{"a"}}}},
	{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "DoesNotExist", Values: []string{""}}}},
	{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Exists"}, {Key: "app", Operator: "DoesNotExist"}}},
	{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "n", Operator: "Gt", Values: []string{"5"}}}},
	{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: ""}}},
	{
		MatchLabels: map[string]string{"tier": "back", "app": "db"},
		MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "app", Operator: "NotIn", Values: []string{"web", ""}},
			{Key: "example.com/role", Operator: "DoesNotExist"},
		},
	},
}
