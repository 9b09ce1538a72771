// Package environ builds the environment of programs: what they inherit, and what a goal's programs and checks get in
// addition.
package environ

import (
	"slices"
	"strings"
)

// Base returns the environment for a program: base without the app's own variables, then extra (KEY=value), which
// wins. It drops WEBKIT_INSPECTOR_* and LD_PRELOAD (they would act in the child) and GOALPOST_* (tokens and folders
// of the app). TERM is xterm-256color unless extra sets it, because the app's own TERM describes another terminal;
// LANG is C.UTF-8 if no locale is set.
func Base(base []string, extra ...string) []string {
	var env []string
	set := func(entry string) {
		key, _, ok := strings.Cut(entry, "=")
		if !ok || key == "" {
			return
		}
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, key+"=") })
		env = append(env, entry)
	}
	for _, entry := range base {
		if !isPrivate(entry) {
			set(entry)
		}
	}
	set("TERM=xterm-256color")
	set("COLORTERM=truecolor")
	if !slices.ContainsFunc(env, isLocale) {
		set("LANG=C.UTF-8")
	}
	for _, entry := range extra {
		set(entry)
	}
	return env
}

func isPrivate(entry string) bool {
	return strings.HasPrefix(entry, "WEBKIT_INSPECTOR_") || strings.HasPrefix(entry, "LD_PRELOAD=") ||
		strings.HasPrefix(entry, "GOALPOST_")
}

// isLocale reports whether a variable sets the character set.
func isLocale(entry string) bool {
	for _, name := range []string{"LANG=", "LC_ALL=", "LC_CTYPE="} {
		if strings.HasPrefix(entry, name) && len(entry) > len(name) {
			return true
		}
	}
	return false
}
