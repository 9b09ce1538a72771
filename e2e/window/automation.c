/*
 * Loaded before WebKitGTK by the window's smoke test. A web view can be driven by
 * WebDriver only if it is created for that, and Wails does not: this replaces the
 * one function by which Wails creates its view, and hands that view to the driver
 * when it asks for one. The program under test is the ordinary one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <webkit2/webkit2.h>

/* WebDriver tells WebKit through this variable where it listens. Goalpost drops it
 * as soon as it runs, because nobody else shall drive its page: not in this test. */
int unsetenv(const char *name) {
  int (*real)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "unsetenv");
  return strcmp(name, "WEBKIT_INSPECTOR_SERVER") == 0 ? 0 : real(name);
}

static WebKitWebView *only_view;

static WebKitWebView *hand_over_view(WebKitAutomationSession *session, gpointer unused) {
  (void)session;
  (void)unused;
  return only_view;
}

static void automation_started(WebKitWebContext *context, WebKitAutomationSession *session, gpointer unused) {
  (void)context;
  (void)unused;
  WebKitApplicationInfo *about = webkit_application_info_new();
  webkit_application_info_set_name(about, "goalpost");
  webkit_application_info_set_version(about, 1, 0, 0);
  webkit_automation_session_set_application_info(session, about);
  webkit_application_info_unref(about);
  g_signal_connect(session, "create-web-view", G_CALLBACK(hand_over_view), NULL);
}

GtkWidget *webkit_web_view_new_with_user_content_manager(WebKitUserContentManager *manager) {
  WebKitWebContext *context = webkit_web_context_get_default();
  webkit_web_context_set_automation_allowed(context, TRUE);
  g_signal_connect(context, "automation-started", G_CALLBACK(automation_started), NULL);
  only_view = g_object_new(WEBKIT_TYPE_WEB_VIEW, "web-context", context, "user-content-manager", manager,
                           "is-controlled-by-automation", TRUE, NULL);
  return GTK_WIDGET(only_view);
}
