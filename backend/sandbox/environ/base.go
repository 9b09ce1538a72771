// Package environ makes the environment of programs: what they inherit, and what a goal's
// programs and checks get besides.
package environ

import (
	"slices"
	"strings"
)

// Base is the environment for a program: base without what belongs to the app
// alone, then extra (KEY=value), which wins. Dropped are WEBKIT_INSPECTOR_* and
// LD_PRELOAD (they would act in the child) and GOALPOST_* (tokens and folders of
// the app). TERM is xterm-256color unless extra says otherwise, because the
// app's own TERM describes another terminal; LANG is C.UTF-8 if no locale is set.
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

// isLocale tells whether a variable decides the character set.
func isLocale(entry string) bool {
	for _, name := range []string{"LANG=", "LC_ALL=", "LC_CTYPE="} {
		if strings.HasPrefix(entry, name) && len(entry) > len(name) {
			return true
		}
	}
	return false
}
