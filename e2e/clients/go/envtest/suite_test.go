// Package envtest contains a suite like those of kubebuilder projects. It uses the binaries in KUBEBUILDER_ASSETS.
package envtest

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"e2e/clients/site"
)

func TestOperator(t *testing.T) {
	ctrl.SetLogger(logr.Discard())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	types := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apiextensionsv1.AddToScheme, site.AddToScheme} {
		must(t, add(types))
	}
	env := &envtest.Environment{
		Scheme: types,
		CRDs:   []*apiextensionsv1.CustomResourceDefinition{site.Definition()},
		WebhookInstallOptions: envtest.WebhookInstallOptions{ValidatingWebhooks: []*admissionv1.ValidatingWebhookConfiguration{{
			ObjectMeta: metav1.ObjectMeta{Name: "site"},
			Webhooks: []admissionv1.ValidatingWebhook{{
				Name: "site.example.com", AdmissionReviewVersions: []string{"v1"}, SideEffects: ptr.To(admissionv1.SideEffectClassNone),
				Rules: []admissionv1.RuleWithOperations{{
					Operations: []admissionv1.OperationType{admissionv1.Create},
					Rule:       admissionv1.Rule{APIGroups: []string{"example.com"}, APIVersions: []string{"v1"}, Resources: []string{"sites"}},
				}},
				ClientConfig: admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Name: "site", Namespace: "default", Path: ptr.To("/validate")}},
			}},
		}}},
	}
	began := time.Now()
	config, err := env.Start()
	must(t, err)
	defer func() { must(t, env.Stop()) }()
	t.Logf("started in %s", time.Since(began).Round(time.Millisecond))

	hooks := env.WebhookInstallOptions
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: types, Metrics: server.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{Host: hooks.LocalServingHost, Port: hooks.LocalServingPort, CertDir: hooks.LocalServingCertDir}),
	})
	must(t, err)
	must(t, (&site.Reconciler{Client: manager.GetClient()}).SetupWithManager(manager))
	manager.GetWebhookServer().Register("/validate", &admission.Webhook{Handler: admission.HandlerFunc(func(_ context.Context, request admission.Request) admission.Response {
		if request.Name == "forbidden" {
			return admission.Denied("the name is reserved")
		}
		return admission.Allowed("")
	})})
	done := make(chan error, 1)
	go func() { done <- manager.Start(ctx) }()
	if !manager.GetCache().WaitForCacheSync(ctx) {
		t.Fatal("the cache did not sync")
	}
	eventually(t, "the webhook server", func() bool { return manager.GetWebhookServer().StartedChecker()(&http.Request{}) == nil })
	api, err := client.New(config, client.Options{Scheme: types})
	must(t, err)

	t.Run("reconciles", func(t *testing.T) {
		home := &site.Site{ObjectMeta: metav1.ObjectMeta{Name: "home", Namespace: "default"}, Spec: site.Spec{Text: "hello"}}
		must(t, api.Create(ctx, home))
		eventually(t, "a ready site", func() bool {
			must(t, api.Get(ctx, client.ObjectKeyFromObject(home), home))
			return apimeta.IsStatusConditionTrue(home.Status.Conditions, "Ready")
		})
		text := &corev1.ConfigMap{}
		must(t, api.Get(ctx, client.ObjectKeyFromObject(home), text))
		if text.Data["text"] != "hello" || !metav1.IsControlledBy(text, home) {
			t.Fatalf("the text is %v", text)
		}
		must(t, api.Delete(ctx, home))
		eventually(t, "no site", func() bool { return apierrors.IsNotFound(api.Get(ctx, client.ObjectKeyFromObject(home), home)) })
	})
	t.Run("calls the webhook", func(t *testing.T) {
		err := api.Create(ctx, &site.Site{ObjectMeta: metav1.ObjectMeta{Name: "forbidden", Namespace: "default"}, Spec: site.Spec{Text: "x"}})
		if err == nil || err.Error() != `admission webhook "site.example.com" denied the request: the name is reserved` {
			t.Fatalf("got %v", err)
		}
	})
	t.Run("authenticates its users", func(t *testing.T) {
		jane, err := env.AddUser(envtest.User{Name: "jane", Groups: []string{"readers"}}, &rest.Config{})
		must(t, err)
		own, err := client.New(jane.Config(), client.Options{Scheme: types})
		must(t, err)
		var maps corev1.ConfigMapList
		if err := own.List(ctx, &maps, client.InNamespace("default")); !apierrors.IsForbidden(err) {
			t.Fatalf("got %v", err)
		}
		must(t, api.Create(ctx, &rbacv1.Role{
			ObjectMeta: metav1.ObjectMeta{Name: "readers", Namespace: "default"},
			Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list"}}},
		}))
		must(t, api.Create(ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "readers", Namespace: "default"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "readers"},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "readers"}},
		}))
		eventually(t, "the permission to read", func() bool { return own.List(ctx, &maps, client.InNamespace("default")) == nil })
	})
	t.Run("signs tokens", func(t *testing.T) {
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot", Namespace: "default"}}
		must(t, api.Create(ctx, account))
		request := &authenticationv1.TokenRequest{}
		must(t, api.SubResource("token").Create(ctx, account, request))
		robot := rest.AnonymousClientConfig(config)
		robot.BearerToken = request.Status.Token
		own, err := client.New(robot, client.Options{Scheme: types})
		must(t, err)
		review := &authenticationv1.SelfSubjectReview{}
		must(t, own.Create(ctx, review))
		if review.Status.UserInfo.Username != "system:serviceaccount:default:robot" {
			t.Fatalf("the user is %q", review.Status.UserInfo.Username)
		}
	})
	cancel()
	must(t, <-done)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, what string, isTrue func() bool) {
	t.Helper()
	for range 400 {
		if isTrue() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s never came", what)
}
